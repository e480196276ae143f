// SPDX-License-Identifier: Apache-2.0
//
// Threads pass data to each other through every construct that synchronises threads. The program
// has no races, but ThreadSanitizer can know this only from an OMPT tool. With the argument "race",
// all threads change one variable without synchronisation.

#include <omp.h>

static int filled[1000], chain, in_critical, in_lock, in_order, unprotected;

static int through_constructs(int race) {
    int total = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 10)
        for (int i = 0; i < 1000; ++i)
            filled[i] = i;
#pragma omp for schedule(dynamic, 7) reduction(+ : total)
        for (int i = 0; i < 1000; ++i)
            total += filled[999 - i];
#pragma omp critical
        ++in_critical;
        omp_set_lock(&lock);
        ++in_lock;
        omp_unset_lock(&lock);
#pragma omp barrier
        if (race) unprotected = unprotected + 1;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 8; ++i) {
#pragma omp ordered
            ++in_order;
        }
    }
    omp_destroy_lock(&lock);
    return total;
}

static int through_tasks(void) {
    int left = 0, right = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : chain)
            ++chain;
        }
#pragma omp task shared(left)
        left = 1;
#pragma omp task shared(right)
        right = 2;
#pragma omp taskwait
        left += right;
#pragma omp taskgroup
        {
#pragma omp task shared(left)
            left += 4;
        }
        left += chain;
    }
    return left;
}

int main(int count, char** words) {
    (void)words;
    return through_constructs(count > 1) != 499500 || through_tasks() != 27;
}
