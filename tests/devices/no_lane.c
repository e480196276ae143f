// SPDX-License-Identifier: Apache-2.0
//
// Device 0 has no free descriptor when data could be sent ahead of their construct.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { kInts = 1 << 18, kRegions = 3 };

int main(void) {
    int last = 0, wrong = 0;
    int* const data = calloc(kInts, sizeof *data);
#pragma omp target map(from : last)
    {
        const struct rlimit limit = {64, 64};
        setrlimit(RLIMIT_NOFILE, &limit);
        while (open("/dev/null", O_RDONLY) >= 0)
            ++last;
    }
    for (int i = 0; i < kRegions; ++i) {
#pragma omp target nowait map(tofrom : data[ : kInts]) depend(inout : data[0])
        for (int j = 0; j < kInts; ++j)
            ++data[j];
    }
#pragma omp taskwait
    for (int j = 0; j < kInts; ++j)
        wrong += data[j] != kRegions;
    return last == 0 || wrong != 0;
}
