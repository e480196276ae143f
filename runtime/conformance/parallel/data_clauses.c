// SPDX-License-Identifier: Apache-2.0
//
// Tests private, firstprivate, shared and default(none) with scalars, arrays and structures.
#include "check.h"

struct point {
    int x, y;
    char name[40];
};

int main(void) {
    int scalar = 3, threads = 0;
    double array[100];
    struct point point = {1, 2, "origin"};
    for (int i = 0; i < 100; i++)
        array[i] = i;
#pragma omp parallel default(none) firstprivate(scalar, array, point) shared(threads)
    {
        CHECK_EQ(scalar, 3);
        CHECK_EQ(array[99], 99);
        CHECK(strcmp(point.name, "origin") == 0);
        scalar += omp_get_thread_num();
        for (int i = 0; i < 100; i++)
            array[i] += scalar;
        point.x = scalar;
#pragma omp atomic
        threads++;
#pragma omp barrier
        CHECK_EQ(array[50], 50 + scalar);
        CHECK_EQ(point.x, 3 + omp_get_thread_num());
        CHECK(threads >= omp_get_num_threads());
    }
    CHECK_EQ(scalar, 3);
    CHECK_EQ(array[50], 50);
    CHECK_EQ(point.x, 1);
}
