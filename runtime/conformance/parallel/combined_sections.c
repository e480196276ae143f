// SPDX-License-Identifier: Apache-2.0
//
// In combined parallel sections each section runs once, whether there are more or fewer threads
// than sections.
#include "check.h"

static int hits[4];

static void hit(int which) { __atomic_fetch_add(&hits[which], 1, __ATOMIC_RELAXED); }

// Without data clauses GCC combines region and sections into one call.
static void check_plain(int threads) {
#pragma omp parallel sections num_threads(threads)
    {
#pragma omp section
        hit(0);
#pragma omp section
        hit(1);
#pragma omp section
        hit(2);
#pragma omp section
        hit(3);
    }
    for (int i = 0; i < 4; i++)
        CHECK_EQ(hits[i], 1);
    memset(hits, 0, sizeof hits);
}

int main(void) {
    for (int threads = 1; threads <= 9; threads += 2) {
        check_plain(threads);
        int a = 0, b = 0, c = 0, d = 0, last = 0;
#pragma omp parallel sections num_threads(threads) lastprivate(last) reduction(+ : d)
        {
#pragma omp section
            {
                a++;
                last = 1;
                d += 1;
            }
#pragma omp section
            {
                b++;
                last = 2;
                d += 10;
            }
#pragma omp section
            {
                c++;
                last = 3;
                d += 100;
            }
        }
        CHECK_EQ(a, 1);
        CHECK_EQ(b, 1);
        CHECK_EQ(c, 1);
        CHECK_EQ(d, 111);
        CHECK_EQ(last, 3);
    }
}
