// SPDX-License-Identifier: Apache-2.0
// clang: the routines for devices are in libomptarget
//
// Tests device memory routines with the host as the device.
#include "check.h"

#include <stdint.h>

int main(void) {
    int host = omp_get_initial_device();
    int* a = omp_target_alloc(100 * sizeof *a, host);
    int b[100];
    CHECK(a != NULL);
    for (int i = 0; i < 100; i++)
        b[i] = i;
    CHECK_EQ(omp_target_memcpy(a, b, 40 * sizeof *a, 0, 60 * sizeof *a, host, host), 0);
    for (int i = 0; i < 40; i++)
        CHECK_EQ(a[i], 60 + i);
    size_t volume[2] = {2, 3}, to_offset[2] = {1, 0}, from_offset[2] = {0, 2}, to_size[2] = {4, 10},
           from_size[2] = {10, 10};
    CHECK_EQ(omp_target_memcpy_rect(a, b, sizeof *a, 2, volume, to_offset, from_offset, to_size, from_size, host, host),
             0);
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 3; column++)
            CHECK_EQ(a[(row + 1) * 10 + column], row * 10 + column + 2);
    size_t huge_offset[2] = {0, SIZE_MAX / 2 + 1}, huge_size[2] = {2, SIZE_MAX / 2 + 1};
    CHECK(omp_target_memcpy_rect(a, b, sizeof *a, 2, volume, huge_offset, from_offset, to_size, from_size, host,
                                 host) != 0);
    CHECK(omp_target_memcpy_rect(a, b, sizeof *a, 2, volume, to_offset, from_offset, to_size, huge_size, host, host) !=
          0);
    CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) >= 3);
    CHECK(omp_target_memcpy(a, b, sizeof *a, 0, 0, host + 7, host) != 0);
    CHECK(omp_target_alloc(8, host + 7) == NULL);
    CHECK(!omp_target_is_present(b, host + 7));
    CHECK(omp_target_is_present(NULL, host));
    CHECK(omp_target_is_present(b, host));
    CHECK(omp_target_associate_ptr(b, b, sizeof b, 0, host) != 0);
    CHECK(omp_target_disassociate_ptr(b, host) != 0);
    omp_target_free(a, host);
    omp_target_free(NULL, host);
    omp_set_default_device(3);
    CHECK_EQ(omp_get_default_device(), 3);
}
