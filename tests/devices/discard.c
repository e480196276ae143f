// SPDX-License-Identifier: Apache-2.0
// Much memory that a device releases begins or ends within a page that holds other data, too. These
// data stay. Prints "ok".
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { SMALL = 64, LARGE = 1 << 20, SIZES = 3 };

static const size_t sizes[SIZES] = {LARGE, LARGE + SMALL, LARGE + 4096 + 3 * SMALL};
static char fives[SMALL], sevens[SMALL];

static void check_on_device(const char* address, const char* expected) {
    char found[SMALL];
    CHECK(omp_target_memcpy(found, address, SMALL, 0, 0, omp_get_initial_device(), 0) == 0);
    CHECK(memcmp(found, expected, SMALL) == 0);
}

static char* put_on_device(const char* data) {
    char* const address = omp_target_alloc(SMALL, 0);
    CHECK(address != NULL);
    CHECK(omp_target_memcpy(address, data, SMALL, 0, 0, 0, omp_get_initial_device()) == 0);
    return address;
}

// A device puts one block behind the other. The first one begins with a page.
static void released_by_a_routine(size_t large, int is_first) {
    char* const before = is_first ? NULL : put_on_device(fives);
    char* const block = omp_target_alloc(large, 0);
    char* const after = put_on_device(sevens);
    omp_target_free(block, 0);
    if (!is_first) check_on_device(before, fives);
    check_on_device(after, sevens);
    omp_target_free(before, 0);
    omp_target_free(after, 0);
}

static void released_by_map_clauses(size_t large) {
    char* const block = calloc(large, 1);
#pragma omp target enter data map(to : block[0 : large]) device(0)
#pragma omp target enter data map(to : sevens) device(0)
#pragma omp target exit data map(delete : block[0 : large]) device(0)
    int differ = 0;
#pragma omp target map(tofrom : differ) map(alloc : sevens) device(0)
    for (int i = 0; i < SMALL; i++)
        differ += sevens[i] != 7;
    CHECK(differ == 0);
#pragma omp target exit data map(delete : sevens) device(0)
    free(block);
}

int main(void) {
    memset(fives, 5, SMALL);
    memset(sevens, 7, SMALL);
    for (int i = 0; i < SIZES; i++) {
        released_by_a_routine(sizes[i], 1);
        released_by_a_routine(sizes[i], 0);
        released_by_map_clauses(sizes[i]);
    }
    puts("ok");
}
