// SPDX-License-Identifier: Apache-2.0
//
// Map clauses of all kinds, on every device. Prints "ok", or the line of what was wrong. Without
// devices the data are shared, so only what holds there, too, is checked.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d, device %d: %s\n", __LINE__, device, #condition);                                          \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

enum { kCount = 1000 };

int global = 5;
int array[kCount];
static const int constant[4] = {1, 2, 3, 4};

#pragma omp declare target
int declared = 7;
int get_declared(void) { return declared; }
#pragma omp end declare target

static void scalars(int device) {
    int x = 1, y = 2, z = 3, is_initial = -1, number = -1;
    double real = 2.5;
#pragma omp target device(device) map(to : x) map(from : y, is_initial, number) map(tofrom : z)
    {
        y = x + (int)real;
        z += x;
        x = 100;
        is_initial = omp_is_initial_device();
        number = omp_get_device_num();
    }
    CHECK(y == 3);
    CHECK(z == 4);
    const int shares = omp_get_num_devices() == 0;
    CHECK(is_initial == shares);
    CHECK(number == device);
    CHECK(shares || x == 1);
#pragma omp target device(device) map(always, tofrom : global)
    global += constant[2];
    CHECK(global == 8);
    global = 5;
}

static void sections(int device) {
    int* const heap = malloc(kCount * sizeof *heap);
    for (int i = 0; i < kCount; ++i)
        heap[i] = array[i] = i;
    long sum = 0;
#pragma omp target teams distribute parallel for device(device) map(to : heap[10 : 100]) reduction(+ : sum)
    for (int i = 10; i < 110; ++i)
        sum += heap[i];
    CHECK(sum == 5950);
#pragma omp target device(device) map(tofrom : array[500 : 10])
    for (int i = 500; i < 510; ++i)
        array[i] = -i;
    CHECK(array[499] == 499 && array[500] == -500 && array[509] == -509 && array[510] == 510);
    int n = 20;
    int vla[n];
    for (int i = 0; i < n; ++i)
        vla[i] = i;
#pragma omp target device(device)
    for (int i = 0; i < n; ++i)
        vla[i] *= 2;
    CHECK(vla[19] == 38);
    free(heap);
}

static void data_regions(int device) {
    int* const heap = calloc(kCount, sizeof *heap);
    const int shares = omp_get_num_devices() == 0;
#pragma omp target data device(device) map(tofrom : heap[0 : kCount])
    {
#pragma omp target device(device)
        heap[3] = 4;
        CHECK(shares || heap[3] == 0);
        heap[5] = 6;
#pragma omp target update device(device) to(heap[5 : 1])
#pragma omp target device(device)
        heap[6] = heap[5] + 1;
#pragma omp target update device(device) from(heap[6 : 1])
        CHECK(heap[6] == 7);
        int* there = heap;
#pragma omp target data device(device) use_device_ptr(there)
        {
#pragma omp target device(device) is_device_ptr(there)
            there[8] = 9;
        }
    }
    CHECK(heap[3] == 4 && heap[8] == 9);

#pragma omp target enter data device(device) map(to : heap[0 : kCount])
#pragma omp target enter data device(device) map(to : heap[0 : kCount])
    CHECK(omp_target_is_present(heap, device));
#pragma omp target device(device)
    heap[0] = 1;
#pragma omp target exit data device(device) map(from : heap[0 : kCount])
    CHECK(shares || heap[0] == 0);
#pragma omp target exit data device(device) map(from : heap[0 : kCount])
    CHECK(heap[0] == 1);
    CHECK(shares || !omp_target_is_present(heap, device));
#pragma omp target enter data device(device) map(alloc : heap[0 : kCount])
#pragma omp target enter data device(device) map(alloc : heap[0 : kCount])
#pragma omp target exit data device(device) map(delete : heap[0 : kCount])
    CHECK(shares || !omp_target_is_present(heap, device));
    free(heap);
}

struct Node {
    int value;
    struct Node* next;
    int* data;
    int count;
};

static void structures(int device) {
    int numbers[4] = {1, 2, 3, 4};
    struct Node node = {1, NULL, numbers, 4};
#pragma omp target device(device) map(tofrom : node.value, node.count)
    node.value += node.count;
    CHECK(node.value == 5 && node.data == numbers);
#pragma omp target enter data device(device) map(to : node)
#pragma omp target enter data device(device) map(to : node.data[0 : 4])
#pragma omp target device(device) map(to : node)
    for (int i = 0; i < node.count; ++i)
        node.data[i] *= 10;
#pragma omp target exit data device(device) map(from : node.data[0 : 4])
#pragma omp target exit data device(device) map(from : node)
    CHECK(numbers[3] == 40);
    CHECK(node.data == numbers);

    struct Node* list = NULL;
    for (int i = 0; i < 5; ++i) {
        struct Node* const first = calloc(1, sizeof *first);
        first->value = i;
        first->next = list;
        list = first;
    }
#pragma omp target enter data device(device) map(to : list[0 : 1])
    for (struct Node* at = list; at->next != NULL; at = at->next) {
#pragma omp target enter data device(device) map(to : at->next[0 : 1])
    }
    int sum = 0;
#pragma omp target device(device) map(tofrom : sum)
    for (struct Node* at = list; at != NULL; at = at->next)
        sum += at->value;
    CHECK(sum == 10);
    while (list != NULL) {
        struct Node* const next = list->next;
#pragma omp target exit data device(device) map(delete : list[0 : 1])
        free(list);
        list = next;
    }
}

static void declared_variables(int device) {
    int seen = 0;
    declared = 70 + device;
#pragma omp target update device(device) to(declared)
#pragma omp target device(device) map(from : seen)
    {
        seen = get_declared();
        declared = 8;
    }
    CHECK(seen == 70 + device);
#pragma omp target update device(device) from(declared)
    CHECK(declared == 8);
    int (*function)(void) = get_declared;
#pragma omp target device(device) map(from : seen)
    seen = function();
    CHECK(seen == 8);
}

static void routines(int device) {
    int here[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    int* const there = omp_target_alloc(sizeof here, device);
    CHECK(there != NULL);
    const int host = omp_get_initial_device();
    CHECK(omp_target_memcpy(there, here, sizeof here, 0, 0, device, host) == 0);
#pragma omp target device(device) is_device_ptr(there)
    there[1] = 20;
    CHECK(omp_target_memcpy(back, there, 3 * sizeof(int), sizeof(int), 0, host, device) == 0);
    CHECK(back[0] == 0 && back[1] == 1 && back[2] == 20 && back[3] == 3);
    const size_t volume[2] = {2, 2}, to_at[2] = {1, 1}, from_at[2] = {0, 1}, to_size[2] = {4, 2}, from_size[2] = {2, 4};
    const size_t narrow_to[2] = {0, 0};
    (void)to_at;
    CHECK(omp_target_memcpy_rect(back, there, sizeof(int), 2, volume, narrow_to, from_at, to_size, from_size, host,
                                 device) == 0);
    CHECK(back[0] == 20 && back[1] == 3 && back[2] == 6 && back[3] == 7);
    if (omp_get_num_devices() > 1) {
        const int other = (device + 1) % omp_get_num_devices();
        int* const second = omp_target_alloc(sizeof here, other);
        CHECK(omp_target_memcpy(second, there, sizeof here, 0, 0, other, device) == 0);
        CHECK(omp_target_memcpy(back, second, sizeof here, 0, 0, host, other) == 0);
        CHECK(back[1] == 20 && back[7] == 8);
        omp_target_free(second, other);
    }
    if (device != host) {
        CHECK(omp_target_associate_ptr(back, there, sizeof back, 0, device) == 0);
        back[2] = -1;
#pragma omp target update device(device) to(back)
        int seen = 0;
#pragma omp target device(device) map(from : seen) map(to : back)
        seen = back[2];
        CHECK(seen == -1);
        CHECK(omp_target_disassociate_ptr(back, device) == 0);
    }
    omp_target_free(there, device);
}

static void deferred(int device) {
    int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 10; ++i) {
#pragma omp target nowait device(device) depend(inout : x) map(tofrom : x)
            x += 1;
#pragma omp task depend(inout : x) shared(x)
            x *= 2;
        }
        const int step = 3;
#pragma omp target nowait device(device) map(tofrom : y) firstprivate(step)
        y += step;
#pragma omp taskwait
    }
    CHECK(x == 2046);
    CHECK(y == 3);
#pragma omp target enter data nowait device(device) map(to : array)
#pragma omp target update nowait device(device) to(array) depend(out : array)
#pragma omp taskwait
#pragma omp target exit data device(device) map(delete : array)
}

int main(void) {
    const int devices = omp_get_num_devices();
    for (int device = 0; device < (devices > 0 ? devices : 1); ++device) {
        scalars(device);
        sections(device);
        data_regions(device);
        structures(device);
        declared_variables(device);
        routines(device);
        deferred(device);
    }
    printf("%d devices, %s\n", devices, failures == 0 ? "ok" : "wrong");
    return failures != 0;
}
