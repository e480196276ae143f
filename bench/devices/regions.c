// SPDX-License-Identifier: Apache-2.0
//
// Measures empty target regions, and copies. Prints one line of JSON:
//
//     devices        how many there are
//     region_us      an empty region that the host waits for
//     nowait_us      an empty region with nowait, of a thousand at a time, spread over all devices
//     to_MB_s, from_MB_s   target update of 16 MiB
//     between_MB_s   omp_target_memcpy of 16 MiB from device 0 to device 1; null: there are not two
//
// Each figure is the median of several batches. The argument is the number of regions in a batch.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBatches = 15, kBytes = 16 << 20 };

static int order(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double median(double* values) {
    qsort(values, kBatches, sizeof *values, order);
    return values[kBatches / 2];
}

static double region_us(long count) {
    double times[kBatches];
    for (int batch = 0; batch < kBatches; ++batch) {
        const double start = omp_get_wtime();
        for (long i = 0; i < count; ++i) {
#pragma omp target
            {
            }
        }
        times[batch] = (omp_get_wtime() - start) / (double)count * 1e6;
    }
    return median(times);
}

static double nowait_us(long count, int devices) {
    double times[kBatches];
    for (int batch = 0; batch < kBatches; ++batch) {
        const double start = omp_get_wtime();
        for (long i = 0; i < count; ++i) {
#pragma omp target nowait device(devices > 0 ? (int)(i % devices) : omp_get_initial_device())
            {
            }
        }
#pragma omp taskwait
        times[batch] = (omp_get_wtime() - start) / (double)count * 1e6;
    }
    return median(times);
}

static double copy_MB_s(char* data, int to) {
    double times[kBatches];
    for (int batch = 0; batch < kBatches; ++batch) {
        const double start = omp_get_wtime();
        if (to) {
#pragma omp target update to(data[ : kBytes])
        } else {
#pragma omp target update from(data[ : kBytes])
        }
        times[batch] = omp_get_wtime() - start;
    }
    return kBytes / median(times) * 1e-6;
}

static double between_MB_s(void) {
    double times[kBatches];
    void *const there = omp_target_alloc(kBytes, 1), *const here = omp_target_alloc(kBytes, 0);
    omp_target_memcpy(there, here, kBytes, 0, 0, 1, 0); // makes the connection
    for (int batch = 0; batch < kBatches; ++batch) {
        const double start = omp_get_wtime();
        omp_target_memcpy(there, here, kBytes, 0, 0, 1, 0);
        times[batch] = omp_get_wtime() - start;
    }
    omp_target_free(there, 1);
    omp_target_free(here, 0);
    return kBytes / median(times) * 1e-6;
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 1000;
    const int devices = omp_get_num_devices();
    char* data = malloc(kBytes);
    if (count < 1 || data == NULL) return 2;
    memset(data, 1, kBytes);
#pragma omp target enter data map(to : data[ : kBytes])
    region_us(count); // starts threads, and brings code into the caches
    const double region = region_us(count), nowait = nowait_us(count, devices);
    const double to = copy_MB_s(data, 1), from = copy_MB_s(data, 0);
#pragma omp target exit data map(release : data[ : kBytes])
    char between[32] = "null";
    if (devices > 1) snprintf(between, sizeof between, "%.0f", between_MB_s());
    printf("{\"devices\": %d, \"region_us\": %.3f, \"nowait_us\": %.3f, \"to_MB_s\": %.0f, \"from_MB_s\": %.0f, "
           "\"between_MB_s\": %s}\n",
           devices, region, nowait, to, from, between);
    free(data);
    return 0;
}
