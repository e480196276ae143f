/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern `reduction`: the merge phase of a sort without recursion. Sorted runs are merged in
 * pairs, with one task for each pair, level by level until one run is left. Each level has half as
 * many tasks as the level before. All data are one allocation, which OMP_DATA_DISTRIBUTION=fine
 * spreads.
 */
#include "common/distributed.h"
#include "common/hash.h"
#include "common/workload.h"

static long kib, depth, n;

static const workload_option options[] = {
    {"kib", "size of the array in KiB", &kib, 1, 16777216, {700, 32768, 262144}, NULL},
    {"depth", "levels of merges: the array begins as 2^depth sorted runs", &depth, 1, 20, {6, 8, 10}, NULL},
};
static const workload self = {"reduction",
                              "merges sorted runs of an array pairwise until it is sorted (Muddukrishna 2016, chapter "
                              "3: its input on the TILEPro64 is small, on the Opteron large); its parallelism halves "
                              "with each level",
                              options, WORKLOAD_OPTION_COUNT(options)};

/* Where a run of a level begins; level 0 has the runs of the input. */
static long begin_of(long run, long level) { return n * (run << level) >> depth; }

/* Rises with i, below 1. */
static double initial(long run, long i, long length) {
    return ((double)i + hash_unit((uint64_t)run << 36 | (uint64_t)i)) / (double)length;
}

static void merge(const double* left, const double* left_end, const double* right, const double* right_end,
                  double* to) {
    while (left < left_end && right < right_end)
        *to++ = *right < *left ? *right++ : *left++;
    while (left < left_end)
        *to++ = *left++;
    while (right < right_end)
        *to++ = *right++;
}

static void spawn_merge(const double* from, double* to, long pair, long level) {
    const long begin = begin_of(2 * pair, level), end = begin_of(2 * pair + 2, level);
    const double *left = from + begin, *right = from + begin_of(2 * pair + 1, level);
    double* merged = to + begin;
#pragma omp task depend(in : left[ : right - left], right[ : from + end - right]) depend(out : merged[ : end - begin])
    merge(left, right, right, from + end, merged);
}

/* A level reads one half of the memory and writes the other. Returns the half with the result. */
static double* reduce(double* from, double* to) {
#pragma omp parallel
#pragma omp single
    for (long level = 0; level < depth; ++level) {
        for (long pair = 0; pair < 1L << (depth - level - 1); ++pair)
            spawn_merge(from, to, pair, level);
        double* const written = to;
        to = from;
        from = written;
    }
    return from;
}

static uint64_t fingerprint(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_mix(bits);
}

/* The array is sorted, and by the sum of its fingerprints it has the elements of the input. */
static void check(const double* sorted) {
    uint64_t have = 0, want = 0;
    for (long i = 0; i < n; ++i) {
        workload_expect(!i || sorted[i - 1] <= sorted[i], "element %ld is below the one before", i);
        have += fingerprint(sorted[i]);
    }
    for (long run = 0; run < 1L << depth; ++run) {
        const long length = begin_of(run + 1, 0) - begin_of(run, 0);
        for (long i = 0; i < length; ++i)
            want += fingerprint(initial(run, i, length));
    }
    workload_expect(have == want, "the elements are not those of the input");
}

static void fill(double* data) {
    for (long run = 0; run < 1L << depth; ++run) {
        const long begin = begin_of(run, 0), length = begin_of(run + 1, 0) - begin;
        for (long i = 0; i < length; ++i)
            data[begin + i] = initial(run, i, length);
    }
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    n = kib * 1024 / (long)sizeof(double);
    if (n < 1L << depth) workload_usage_error("--kib %ld has no element for each of 2^%ld runs", kib, depth);
    double* data = distributed_allocate(2 * (size_t)n * sizeof *data);
    fill(data);
    memset(data + n, 0, (size_t)n * sizeof *data);
    const double start = workload_seconds();
    const double* sorted = reduce(data, data + n);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(sorted);
    const double median = sorted[n / 2];
    omp_malloc_free(data);
    return workload_report(time_s, (1L << depth) - 1, "median:%.9f", median);
}
