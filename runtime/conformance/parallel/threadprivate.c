// SPDX-License-Identifier: Apache-2.0
//
// Threadprivate values persist between regions of the same size; copyin copies the master's values
// to all threads.
#include "check.h"

static int counter = 40;
static int identity;
#pragma omp threadprivate(counter, identity)

int main(void) {
    omp_set_dynamic(0);
#pragma omp parallel
    {
        CHECK_EQ(counter, 40);
        counter += omp_get_thread_num();
        identity = omp_get_thread_num();
    }
    for (int region = 1; region <= 50; region++) {
#pragma omp parallel
        {
            CHECK_EQ(identity, omp_get_thread_num());
            CHECK_EQ(counter, 40 + omp_get_thread_num() * region);
            counter += omp_get_thread_num();
        }
    }
    counter = 7;
#pragma omp parallel copyin(counter)
    CHECK_EQ(counter, 7);
}
