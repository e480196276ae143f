// SPDX-License-Identifier: Apache-2.0
//
// omp_get_wtime goes forward in every thread, in seconds; its tick is sensible.
#include "check.h"

int main(void) {
    CHECK(omp_get_wtick() > 0 && omp_get_wtick() <= 0.02);
    double start = omp_get_wtime();
    usleep(30000);
    double passed = omp_get_wtime() - start;
    CHECK(passed >= 0.029 && passed < 10);
#pragma omp parallel
    {
        double previous = start;
        for (int i = 0; i < 1000; i++) {
            double now = omp_get_wtime();
            CHECK(now >= previous);
            previous = now;
        }
    }
}
