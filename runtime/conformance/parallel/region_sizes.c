// SPDX-License-Identifier: Apache-2.0
//
// Many regions in a row, with changing sizes: each has exactly the requested number of threads.
#include "check.h"

int main(void) {
    int most = omp_get_max_threads();
    long total = 0, expected = 0;
    omp_set_dynamic(0);
    for (int region = 0; region < 400; region++) {
        int size = 1 + region * 7 % most;
        expected += size;
#pragma omp parallel num_threads(size) reduction(+ : total)
        {
            CHECK_EQ(omp_get_num_threads(), size);
            total += 1;
        }
    }
    CHECK_EQ(total, expected);
}
