// SPDX-License-Identifier: Apache-2.0
// Runs a region on a device, then the command in the first argument. Says what the command returns.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
    int is_host = 1;
#pragma omp target map(from : is_host)
    is_host = omp_is_initial_device();
    printf("%d devices, %s\n", omp_get_num_devices(), is_host ? "on the host" : "on a device");
    fflush(stdout);
    if (count > 1) printf("status %d\n", system(words[1]) >> 8);
    return 0;
}
