// SPDX-License-Identifier: Apache-2.0
// stock: fails, it hangs or ends by a signal when several threads run deferred target regions on the host
//
// target with nowait is a task among its siblings: dependences order it, taskwait waits for it, and
// its firstprivate data are its own.
#include "check.h"

enum { ROUNDS = 50, CHAIN = 20 };

static void chain(void) {
    int x = 0;
    for (int i = 0; i < CHAIN; i++) {
#pragma omp target nowait map(tofrom : x) firstprivate(i) depend(inout : x)
        {
            CHECK_EQ(x, 2 * i);
            x++;
        }
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        {
            CHECK_EQ(x, 2 * i + 1);
            x++;
        }
    }
#pragma omp taskwait
    CHECK_EQ(x, 2 * CHAIN);
}

static void independent(void) {
    int sums[CHAIN] = {0};
    double big[300];
    for (int i = 0; i < CHAIN; i++) {
        for (int k = 0; k < 300; k++)
            big[k] = i + k;
#pragma omp target nowait map(tofrom : sums) firstprivate(i, big)
        for (int k = 0; k < 300; k++) {
            CHECK_EQ(big[k], i + k);
            sums[i]++;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < CHAIN; i++)
        CHECK_EQ(sums[i], 300);
}

static void in_final_task(void) {
    int x = 0;
#pragma omp task final(1) shared(x)
    {
#pragma omp target nowait map(tofrom : x)
        x = 1;
        CHECK_EQ(x, 1);
    }
#pragma omp taskwait
    CHECK_EQ(x, 1);
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        chain();
        independent();
        in_final_task();
#pragma omp parallel
        {
            chain();
            independent();
            in_final_task();
        }
    }
}
