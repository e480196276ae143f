// SPDX-License-Identifier: Apache-2.0
// For Clang: threadprivate data that the runtime keeps (-fnoopenmp-use-tls), routines kmp_*, a nest
// lock of 8 bytes, and, if LIBRARY is defined, a library that GCC has built. Prints what is wrong,
// and "ok" at the end.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../check.h"

int number = 5;
static double values[4] = {1, 2, 3, 4};
#pragma omp threadprivate(number, values)

static void keep(void) {
#pragma omp parallel num_threads(4)
    {
        CHECK(number == 5 && values[3] == 4);
        number = omp_get_thread_num() + 100;
        values[1] = number;
    }
#pragma omp parallel num_threads(4)
    CHECK(number == omp_get_thread_num() + 100 && values[1] == number && values[3] == 4);
    number = 9;
#pragma omp parallel num_threads(4) copyin(number)
    CHECK(number == 9);
}

static void call_routines(void) {
    kmp_set_blocktime(3);
    CHECK(kmp_get_blocktime() == 3);
    int* const memory = kmp_calloc(4, sizeof *memory);
    CHECK(memory != NULL && memory[3] == 0);
    kmp_free(memory);
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    CHECK(omp_test_nest_lock(&lock) == 2);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_destroy_nest_lock(&lock);
}

#ifdef LIBRARY
int of_gcc(int threads, int (*of_clang)(void));

static int clang_inside(void) {
    int count = 0;
#pragma omp task shared(count)
    {
#pragma omp critical
        count += omp_get_num_threads();
    }
#pragma omp taskwait
    return count;
}
#endif

int main(void) {
    keep();
    call_routines();
#ifdef LIBRARY
    CHECK(of_gcc(3, clang_inside) == 9); // three threads of one team, each with a task of Clang's
#endif
    puts("ok");
    return 0;
}
