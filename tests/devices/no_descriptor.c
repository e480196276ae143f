// SPDX-License-Identifier: Apache-2.0
//
// Device 1 has no free descriptor when data are to be copied to it from device 0.
#include <fcntl.h>
#include <omp.h>
#include <sys/resource.h>

int main(void) {
    int last = 0;
    void *from = omp_target_alloc(64, 0), *to = omp_target_alloc(64, 1);
#pragma omp target map(from : last) device(1)
    {
        const struct rlimit limit = {64, 64};
        setrlimit(RLIMIT_NOFILE, &limit);
        while (open("/dev/null", O_RDONLY) >= 0)
            ++last;
    }
    return omp_target_memcpy(to, from, 64, 0, 0, 1, 0) + last;
}
