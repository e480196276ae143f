// SPDX-License-Identifier: Apache-2.0
//
// Tasks whose depend clause names no list item, because its iterator has no iterations. They wait
// for no task, and no task waits for them.
#include "check.h"

enum { TASKS = 50000, PASSES = 6, MOST_KIB = 512 };

static long resident_kib(void) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void create(int n, int* ran) {
    int a[4] = {0};
    (void)a; // GCC 14 takes no notice of its use in a depend clause
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(iterator(j = 0 : n), in : a[j]) shared(ran)
        {
#pragma omp atomic
            ++*ran;
        }
    }
#pragma omp taskwait
}

int main(void) {
    int ran = 0;
#pragma omp parallel
#pragma omp single
    {
        create(0, &ran);
        // What is kept for reuse grows in some passes, by how many tasks wait at a time; what is
        // left behind, in all.
        long least = MOST_KIB + 1;
        for (int pass = 0; pass < PASSES; pass++) {
            const long before = resident_kib();
            create(0, &ran);
            const long grown = resident_kib() - before;
            if (grown < least) least = grown;
        }
        if (least > MOST_KIB) fprintf(stderr, "each %d tasks left %ld KiB or more behind\n", TASKS, least);
        CHECK(least <= MOST_KIB);
    }
    CHECK_EQ(ran, (PASSES + 1) * TASKS);
}
