// SPDX-License-Identifier: Apache-2.0
//
// Target constructs without a device run on the host, with the host's data.
#include "check.h"

enum { N = 200 };

int main(void) {
    int array[N], scalar = 4;
    for (int i = 0; i < N; i++)
        array[i] = i;
    CHECK_EQ(omp_get_num_devices(), 0);
    CHECK_EQ(omp_get_default_device(), 0);
    CHECK_EQ(omp_get_initial_device(), omp_get_num_devices());
    CHECK_EQ(omp_get_device_num(), omp_get_initial_device());
    CHECK(omp_is_initial_device());
#pragma omp target map(tofrom : array)
    {
        CHECK(omp_is_initial_device());
        for (int i = 0; i < N; i++)
            array[i] += scalar;
    }
#pragma omp target data map(tofrom : array)
    {
#pragma omp target update to(array)
#pragma omp target teams distribute parallel for map(tofrom : array)
        for (int i = 0; i < N; i++)
            array[i] *= 2;
#pragma omp target update from(array)
    }
#pragma omp target enter data map(to : array)
#pragma omp target exit data map(from : array)
    int done = 0;
#pragma omp target nowait map(tofrom : done) depend(out : done)
    done = 1;
#pragma omp taskwait
    CHECK_EQ(done, 1);
    for (int i = 0; i < N; i++)
        CHECK_EQ(array[i], 2 * (i + 4));
}
