// SPDX-License-Identifier: Apache-2.0
//
// The map kinds of C that maps.c does not have. Also compiled as C++.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 64 };

static int failures = 0;

static void check(int holds, const char* what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    ++failures;
}

// Whether the region had its own copy.
static int has_copies(void) { return omp_get_num_devices() > 0; }

static void fill(int* array, int first) {
    for (int i = 0; i < kCount; ++i)
        array[i] = first + i;
}

static void always(int* array) {
    int before = 0, after = 0;
    fill(array, 0);
#pragma omp target enter data map(to : array[0 : kCount])
    array[3] = 30;
#pragma omp target map(to : array[0 : kCount]) map(from : before)
    before = array[3];
#pragma omp target map(always, to : array[0 : kCount]) map(from : after)
    {
        after = array[3];
        array[4] = 40;
    }
    check(before == (has_copies() ? 3 : 30), "what is present is not copied again");
    check(after == 30, "always, to");
    check(array[4] == (has_copies() ? 4 : 40), "what stays present is not copied back");
#pragma omp target map(always, from : array[0 : kCount])
    array[5] = 50;
    check(array[4] == 40 && array[5] == 50, "always, from");
#pragma omp target exit data map(release : array[0 : kCount])
    check(!has_copies() || !omp_target_is_present(array, omp_get_default_device()), "release");
}

static void zero_length(int* array) {
    int is_null = 0, seen = 0;
    fill(array, 100);
#pragma omp target enter data map(to : array[0 : kCount])
#pragma omp target enter data map(to : array[0 : kCount])
#pragma omp target map(to : array[ : 0]) map(from : seen)
    seen = array[2];
    check(seen == 102, "a section without elements finds what is present");
#pragma omp target exit data map(release : array[ : 0])
    check(!has_copies() || omp_target_is_present(array, omp_get_default_device()), "release of a section without elements");
#pragma omp target exit data map(delete : array[ : 0])
    check(!has_copies() || !omp_target_is_present(array, omp_get_default_device()), "delete of a section without elements");
    int* const null = NULL;
#pragma omp target map(to : null[ : 0]) map(from : is_null)
    is_null = null == NULL;
    check(is_null, "a null pointer stays null");
}

struct Part {
    int count;
    int* data;
    int* other;
};

static void members(int* array) {
    int sum = 0;
    fill(array, 1);
    struct Part part = {kCount, array, array};
    struct Part* const at = &part;
#pragma omp target enter data map(to : at[0 : 1])
#pragma omp target enter data map(to : at->data[0 : kCount])
#pragma omp target enter data map(to : at->other[ : 0])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < at->count; ++i)
        sum += at->data[i] + at->other[i];
    check(sum == kCount * (kCount + 1), "attached members");
#pragma omp target exit data map(release : at->other[ : 0])
#pragma omp target exit data map(from : at->data[0 : kCount])
#pragma omp target exit data map(release : at[0 : 1])
    check(part.data == array && part.other == array, "the host's pointers stay");
}

static void updates(int* array) {
    int seen = 0;
    fill(array, 0);
#pragma omp target data map(alloc : array[0 : kCount])
    {
#pragma omp target update to(array[8 : 8])
#pragma omp target map(from : seen)
        {
            seen = array[9];
            array[10] = -1;
            array[20] = -1;
        }
        check(seen == 9, "update to a part");
#pragma omp target update from(array[10 : 4])
        check(array[10] == -1, "update from a part");
        check(array[20] == (has_copies() ? 20 : -1), "the rest is not copied");
    }
}

static void addresses(int* array) {
    int values[4] = {1, 2, 3, 4}, sum = 0;
    fill(array, 0);
#pragma omp target data map(to : values, array[0 : kCount]) use_device_addr(values) use_device_ptr(array)
    {
        int* const there = values;
#pragma omp target is_device_ptr(there, array) map(tofrom : sum)
        for (int i = 0; i < 4; ++i)
            sum += there[i] + array[i];
    }
    check(sum == 16, "use_device_addr and use_device_ptr");
}

int main(void) {
    int* const array = (int*)malloc(kCount * sizeof(int));
    always(array);
    zero_length(array);
    members(array);
    updates(array);
    addresses(array);
    free(array);
    printf("%d devices, %s\n", omp_get_num_devices(), failures == 0 ? "ok" : "failed");
    return failures != 0;
}
