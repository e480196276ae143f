// SPDX-License-Identifier: Apache-2.0
//
// Copies from one device to another, and within a device, with every routine that makes them. Some
// of the routines are newer than the compiler's omp.h.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 4, kBytes = 3 << 20, kRounds = 40 };

typedef int copy_async(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*);
typedef int copy_box_async(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*, const size_t*,
                           const size_t*, int, int, int, omp_depend_t*);

static int devices, host, failures;
static unsigned char *data, *back;

static void* routine(const char* name) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    if (found != NULL) return found;
    printf("there is no %s\n", name);
    exit(1);
}

static void check(int right, const char* what) {
    if (right) return;
    ++failures;
    printf("wrong: %s\n", what);
}

static void* allocate(size_t bytes, int device) {
    void* const memory = omp_target_alloc(bytes, device);
    if (memory != NULL) return memory;
    printf("no memory on %d\n", device);
    exit(1);
}

static void fill(unsigned seed, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
        data[i] = (unsigned char)((i * 2654435761u + seed) >> 11);
}

static void clear(void* memory, size_t bytes, int device) {
    memset(back, 0, bytes);
    omp_target_memcpy(memory, back, bytes, 0, 0, device, host);
}

static int arrives(const void* memory, size_t bytes, int device) {
    memset(back, 0, bytes);
    omp_target_memcpy(back, memory, bytes, 0, 0, host, device);
    return memcmp(back, data, bytes) == 0;
}

// Sizes around those of a packet, of a buffer and of nothing.
static void sizes(int to, int from) {
    const size_t lengths[] = {0, 1, 7, 4096, (1 << 15) + 1, (1 << 20) - 1, (1 << 20) + 1, kBytes};
    unsigned char *const there = allocate(kBytes, to), *const here = allocate(kBytes, from);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        fill(i, lengths[i]);
        omp_target_memcpy(here, data, lengths[i], 0, 0, from, host);
        check(omp_target_memcpy(there, here, lengths[i], 0, 0, to, from) == 0, "a copy");
        check(arrives(there, lengths[i], to), "its bytes");
        check(arrives(here, lengths[i], from), "its source");
    }
    fill(9, 1000);
    omp_target_memcpy(here, data, 1000, 0, 0, from, host);
    clear(there, 1000, to);
    omp_target_memcpy(there, here, 100, 300, 500, to, from);
    omp_target_memcpy(back, there, 1000, 0, 0, host, to);
    int right = memcmp(back + 300, data + 500, 100) == 0;
    for (int i = 0; i < 1000; ++i)
        right = right && (back[i] == 0 || (i >= 300 && i < 400));
    check(right, "offsets");
    omp_target_free(there, to);
    omp_target_free(here, from);
}

static void boxes(int to, int from) {
    enum { kRows = 60, kColumns = 50, kPlanes = 3 };
    const size_t cells = kPlanes * kRows * kColumns;
    const size_t volume[] = {2, 50, 11}, to_offsets[] = {1, 3, 20}, from_offsets[] = {0, 10, 5};
    const size_t extent[] = {kPlanes, kRows, kColumns};
    int *const there = allocate(cells * sizeof(int), to), *const here = allocate(cells * sizeof(int), from);
    fill(3, cells * sizeof(int));
    omp_target_memcpy(here, data, cells * sizeof(int), 0, 0, from, host);
    clear(there, cells * sizeof(int), to);
    check(omp_target_memcpy_rect(there, here, sizeof(int), 3, volume, to_offsets, from_offsets, extent, extent, to,
                                 from) == 0,
          "a box");
    omp_target_memcpy(back, there, cells * sizeof(int), 0, 0, host, to);
    int(*const sent)[kRows][kColumns] = (void*)data, (*const got)[kRows][kColumns] = (void*)back;
    int right = 1;
    for (size_t i = 0; i < kPlanes; ++i)
        for (size_t j = 0; j < kRows; ++j)
            for (size_t k = 0; k < kColumns; ++k) {
                const size_t x = i - 1, y = j - 3, z = k - 20;
                const int inside = x < volume[0] && y < volume[1] && z < volume[2];
                right = right && got[i][j][k] == (inside ? sent[x][y + 10][z + 5] : 0);
            }
    check(right, "the cells of a box");
    omp_target_free(there, to);
    omp_target_free(here, from);
}

// A chain of tasks from device to device, each of which needs the data of the one before.
static void tasks(void) {
    copy_async* const copy = routine("omp_target_memcpy_async");
    copy_box_async* const copy_box = routine("omp_target_memcpy_rect_async");
    const size_t bytes = 1 << 18, volume[] = {64, 64}, none[] = {0, 0}, extent[] = {64, 64};
    void* memory[2 * kMost];
    const int places = 2 * devices;
    for (int i = 0; i < places; ++i)
        memory[i] = allocate(bytes, i % devices);
    fill(4, bytes);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_depend_t after[2 * kMost];
        for (int i = 0; i < places; ++i) {
#pragma omp depobj(after[i]) depend(inout : memory[i])
        }
        copy(memory[0], data, bytes, 0, 0, 0, host, 1, after);
        for (int i = 1; i < places; ++i) {
            omp_depend_t both[] = {after[i - 1], after[i]};
            if (i % 2 == 0) {
                copy(memory[i], memory[i - 1], bytes, 0, 0, i % devices, (i - 1) % devices, 2, both);
            } else {
                const size_t element = bytes / (64 * 64);
                copy_box(memory[i], memory[i - 1], element, 2, volume, none, none, extent, extent,
                                             i % devices, (i - 1) % devices, 2, both);
            }
        }
#pragma omp taskwait
        for (int i = 0; i < places; ++i) {
#pragma omp depobj(after[i]) destroy
        }
    }
    check(arrives(memory[places - 1], bytes, (places - 1) % devices), "a chain of tasks");
    for (int i = 0; i < places; ++i)
        omp_target_free(memory[i], i % devices);
}

// Threads copy between all devices in all directions, beside regions on these. Each thread has its
// memory.
static void crowd(void) {
    enum { kThreads = 4, kLarge = 1 << 20 };
    int right = 1;
#pragma omp parallel num_threads(kThreads) reduction(&& : right)
    {
        const int self = omp_get_thread_num();
        int* memory[kMost];
        int* const own = malloc(kLarge);
        for (int d = 0; d < devices; ++d)
            memory[d] = allocate(kLarge, d);
        for (int i = 0; i < kLarge / (int)sizeof(int); ++i)
            own[i] = i ^ self;
        omp_target_memcpy(memory[0], own, kLarge, 0, 0, 0, host);
        int at = 0;
        for (int round = 0; round < kRounds; ++round) {
            const int next = (at + 1 + (self + round) % devices) % devices;
            if (next != at) omp_target_memcpy(memory[next], memory[at], kLarge, 0, 0, next, at);
            at = next;
            int* const there = memory[at];
#pragma omp target is_device_ptr(there) device(at)
            for (int i = 0; i < kLarge / (int)sizeof(int); i += 1024)
                ++there[i];
        }
        memset(own, 0, kLarge);
        omp_target_memcpy(own, memory[at], kLarge, 0, 0, host, at);
        for (int i = 0; i < kLarge / (int)sizeof(int); ++i)
            right = right && own[i] == (i ^ self) + (i % 1024 == 0 ? kRounds : 0);
        for (int d = 0; d < devices; ++d)
            omp_target_free(memory[d], d);
        free(own);
    }
    check(right, "copies in all directions at a time");
}

// Memory that has been given back, and is in use again, keeps what a copy has written.
static void reuse(int to, int from) {
    for (int round = 0; round < 3; ++round) {
        void *const here = allocate(kBytes, from), *there = allocate(kBytes, to);
        fill((unsigned)round, kBytes);
        omp_target_memcpy(here, data, kBytes, 0, 0, from, host);
        clear(there, kBytes, to);
        omp_target_free(there, to);
        there = allocate(kBytes, to);
        omp_target_memcpy(there, here, kBytes, 0, 0, to, from);
        int sum = 0;
#pragma omp target device(to) map(tofrom : sum)
        ++sum;
        check(sum == 1 && arrives(there, kBytes, to), "memory in use again");
        omp_target_free(there, to);
        omp_target_free(here, from);
    }
}

// Mapped memory has an address on each device.
static void mapped(int to, int from) {
    int array[100];
    for (int i = 0; i < 100; ++i)
        array[i] = i;
#pragma omp target enter data map(to : array) device(from)
#pragma omp target enter data map(alloc : array) device(to)
#pragma omp target device(from)
    for (int i = 0; i < 100; ++i)
        array[i] *= 3;
    void* (*const there)(const void*, int) = routine("omp_get_mapped_ptr");
    omp_target_memcpy(there(array, to), there(array, from), sizeof array, 0, 0, to, from);
    int right = 1;
#pragma omp target device(to) map(tofrom : right)
    for (int i = 0; i < 100; ++i)
        right = right && array[i] == 3 * i;
    check(right, "mapped memory");
#pragma omp target exit data map(delete : array) device(to)
#pragma omp target exit data map(delete : array) device(from)
}

int main(void) {
    const int found = omp_get_num_devices();
    host = omp_get_initial_device();
    devices = found == 0 ? 1 : found < kMost ? found : kMost; // without devices: the host
    data = malloc(kBytes);
    back = malloc(kBytes);
    for (int to = 0; to < devices; ++to)
        for (int from = 0; from < devices; ++from) {
            sizes(to, from);
            boxes(to, from);
            if (to == from) continue;
            reuse(to, from);
            mapped(to, from);
        }
    tasks();
    crowd();
    if (failures == 0) printf("%d devices, ok\n", found);
    return failures != 0;
}
