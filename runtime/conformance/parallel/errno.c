// SPDX-License-Identifier: Apache-2.0
//
// Constructs do not change errno, even if a system call of the runtime fails.
#include "check.h"

#include <errno.h>

int main(void) {
    omp_set_dynamic(1);
    for (int i = 0; i < 3; i++) {
        usleep(150000); // the quota of the process's groups is read anew
        errno = 0;
#pragma omp parallel num_threads(2)
        CHECK(omp_get_num_threads() <= 2);
        CHECK_EQ(errno, 0);
    }
    omp_set_dynamic(0);
    for (int i = 0; i < 100; i++) {
        errno = 0;
#pragma omp parallel num_threads(5) // more than there are processors on small machines: they yield
        {
#pragma omp barrier
        }
        CHECK_EQ(errno, 0);
    }
    return 0;
}
