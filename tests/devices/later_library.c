// SPDX-License-Identifier: Apache-2.0
// A library with target regions, which later.c loads when the program runs. FIRST is the first
// value of its data.
#include <stdlib.h>

#include "later_library.h"

#ifndef FIRST
#define FIRST 10
#endif

static int loads; // by constructors, in this process
static int table[4] = {FIRST, FIRST + 1, FIRST + 2, FIRST + 3};
static int counters[1 << 16]; // of zeroed memory, which is mapped from no file
#define shared_counter counters[40000]
#pragma omp declare target to(table)

__attribute__((constructor)) static void count_load(void) { ++loads; }

static int of_table(int i) { return table[i % 4]; }

int add_table(int count, const int* in, int* out) {
    int constructed = 0;
#pragma omp target teams distribute parallel for map(to : in[0 : count]) map(from : out[0 : count])
    for (int i = 0; i < count; ++i)
        out[i] = in[i] + of_table(i);
#pragma omp target map(from : constructed)
    constructed = loads;
    return constructed;
}

void begin_to_count(void) {
    shared_counter = 5;
#pragma omp target enter data map(to : shared_counter)
}

int count_on_device(int tasks) {
    for (int i = 0; i < tasks; ++i) {
#pragma omp target nowait map(tofrom : shared_counter) depend(inout : shared_counter)
        ++shared_counter;
    }
#pragma omp taskwait
#pragma omp target exit data map(from : shared_counter)
    return shared_counter;
}

void change_table(void) {
    for (int i = 0; i < 4; ++i)
        table[i] += 100;
#pragma omp target update to(table)
}
