// SPDX-License-Identifier: Apache-2.0
//
// Prints how many devices there are, and on which of them a region without a device clause runs.
// With an argument, first starts itself as a child.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
    if (count > 1) {
        char command[4096];
        snprintf(command, sizeof command, "'%s'", words[0]);
        if (system(command) != 0) return 1;
    }
    int is_host = 0, number = -1;
#pragma omp target map(from : is_host, number)
    {
        is_host = omp_is_initial_device();
        number = omp_get_device_num();
    }
    if (is_host) printf("%d devices, on the host\n", omp_get_num_devices());
    else printf("%d devices, on %d\n", omp_get_num_devices(), number);
    return 0;
}
