// SPDX-License-Identifier: Apache-2.0
// stock: fails, it has these routines only from GCC 13, 15 or 16 on
// clang: it passes GCC's depend objects to routines
//
// Tests device memory routines on the host: mapped pointers, asynchronous copies and fills in the
// order of their depend objects, device names.
#include "newer.h"
#include <errno.h>

enum { kHost = 0, kInitial = -1, kNoDevice = 5, kInvalid = -4 };

typedef int memcpy_async(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*);
typedef int memcpy_rect_async(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*,
                              const size_t*, const size_t*, int, int, int, omp_depend_t*);
typedef void* fill(void*, int, size_t, int);
typedef void* fill_async(void*, int, size_t, int, int, omp_depend_t*);

static void check_enquiries(void) {
    void* (*get_mapped_ptr)(const void*, int) = newer_symbol("omp_get_mapped_ptr", "OMP_5.1.1");
    int (*is_accessible)(const void*, size_t, int) = newer_symbol("omp_target_is_accessible", "OMP_5.1.1");
    int datum;
    CHECK(get_mapped_ptr(&datum, kHost) == &datum);
    CHECK(get_mapped_ptr(&datum, kInitial) == &datum);
    CHECK(get_mapped_ptr(&datum, kNoDevice) == NULL);
    CHECK(is_accessible(&datum, sizeof datum, kHost));
    CHECK(is_accessible(&datum, sizeof datum, kInitial));
    CHECK(!is_accessible(&datum, sizeof datum, kNoDevice));
}

static void check_names(void) {
    const char* (*uid_of)(int) = newer_symbol("omp_get_uid_from_device", "GOMP_6.0");
    int (*device_of)(const char*) = newer_symbol("omp_get_device_from_uid", "GOMP_6.0");
    CHECK(uid_of(kHost) != NULL);
    CHECK_EQ(strcmp(uid_of(kHost), uid_of(kInitial)), 0);
    CHECK(uid_of(kNoDevice) == NULL);
    CHECK_EQ(device_of(uid_of(kHost)), kInitial);
    CHECK_EQ(device_of("no such device"), kInvalid);
    CHECK_EQ(device_of(NULL), kInvalid);

    // As gfortran calls them.
    void (*uid_of_)(const char**, size_t*, int32_t) = newer_symbol("omp_get_uid_from_device_", "GOMP_6.0");
    void (*uid_of_8_)(const char**, size_t*, int64_t) = newer_symbol("omp_get_uid_from_device_8_", "GOMP_6.0");
    int (*device_of_)(const char*, size_t) = newer_symbol("omp_get_device_from_uid_", "GOMP_6.0");
    const char* uid;
    size_t length;
    uid_of_(&uid, &length, kHost);
    CHECK_EQ(length, strlen(uid_of(kHost)));
    CHECK_EQ(device_of_(uid, length), kInitial);
    CHECK_EQ(device_of_(uid, length - 1), kInvalid);
    uid_of_8_(&uid, &length, kNoDevice);
    CHECK(uid == NULL && length == 0);
}

static void check_copies(void) {
    memcpy_async* copy = newer_symbol("omp_target_memcpy_async", "OMP_5.1.1");
    memcpy_rect_async* copy_box = newer_symbol("omp_target_memcpy_rect_async", "OMP_5.1.1");
    int first[4] = {1, 2, 3, 4}, second[4] = {0}, third[2][2] = {0};
    omp_depend_t order[2];
#pragma omp depobj(order[0]) depend(inout : second)
#pragma omp depobj(order[1]) depend(inout : third)
    CHECK_EQ(copy(second, first, sizeof first, 0, 0, kHost, kNoDevice, 0, NULL), EINVAL);
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 100; round++) {
#pragma omp task depend(out : second) shared(first)
        first[3] = 100 + round;
        CHECK_EQ(copy(second, first, sizeof first, 0, 0, kHost, kInitial, 1, order), 0);
        {
            // The routine has copied these before it returns.
            size_t volume[] = {1, 2}, to[] = {1, 0}, from[] = {1, 0}, sizes[] = {2, 2};
            CHECK_EQ(copy_box(third, second, sizeof(int), 2, volume, to, from, sizes, sizes, kHost, kHost, 2, order),
                     0);
            memset(volume, 0x55, sizeof volume);
            memset(sizes, 0x55, sizeof sizes);
        }
#pragma omp task depend(inout : third, second) shared(third, second, first)
        {
            CHECK_EQ(second[3], 100 + round);
            CHECK_EQ(third[1][0], 3);
            CHECK_EQ(third[1][1], 100 + round);
            CHECK_EQ(third[0][0], 0);
            second[3] = third[1][1] = first[3] = -1;
        }
    }
    int free_of_order = 0;
    CHECK_EQ(copy(&free_of_order, &first[1], sizeof(int), 0, 0, kHost, kHost, 0, NULL), 0);
    CHECK_EQ(free_of_order, 2); // outside regions, a task runs at once
    CHECK(copy_box(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, kHost, kHost, 0, NULL) >= 3);
#pragma omp depobj(order[0]) destroy
#pragma omp depobj(order[1]) destroy
}

static void check_fills(void) {
    fill* set = newer_symbol("omp_target_memset", "GOMP_6.0.1");
    fill_async* set_async = newer_symbol("omp_target_memset_async", "GOMP_6.0.1");
    unsigned char bytes[10] = {0};
    omp_depend_t order;
#pragma omp depobj(order) depend(inout : bytes)
    CHECK(set(bytes, 0x1ab, 4, kHost) == bytes);
    CHECK(bytes[3] == 0xab && bytes[4] == 0);
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 100; round++) {
        CHECK(set_async(bytes, round, sizeof bytes, kInitial, 1, &order) == bytes);
#pragma omp task depend(inout : bytes) shared(bytes)
        {
            CHECK(bytes[0] == round && bytes[9] == round);
            bytes[9] = 255;
        }
    }
#pragma omp depobj(order) destroy
}

int main(void) {
    check_enquiries();
    check_names();
    check_copies();
    check_fills();
}
