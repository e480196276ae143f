// SPDX-License-Identifier: Apache-2.0
//
// Copies a known number of bytes between devices: from the host to device 0, once within it, then
// to device 1, as many times as the second argument says, and eight bytes back to the host.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
    if (count < 3 || omp_get_num_devices() < 2) return 2;
    const size_t bytes = strtoull(words[1], NULL, 10);
    const int copies = atoi(words[2]), host = omp_get_initial_device();
    char *const data = malloc(bytes), *const first = omp_target_alloc(2 * bytes, 0);
    char *const second = omp_target_alloc(bytes, 1);
    char last[8];
    for (size_t i = 0; i < bytes; ++i)
        data[i] = (char)(i % 251);
    omp_target_memcpy(first, data, bytes, 0, 0, 0, host);
    omp_target_memcpy(first, first, bytes, bytes, 0, 0, 0);
    for (int i = 0; i < copies; ++i)
        omp_target_memcpy(second, first, bytes, 0, bytes, 1, 0);
    omp_target_memcpy(last, second, sizeof last, 0, bytes - sizeof last, host, 1);
    for (size_t i = 0; i < sizeof last; ++i)
        if (last[i] != data[bytes - sizeof last + i]) return 1;
    return 0;
}
