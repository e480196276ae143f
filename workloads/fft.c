/* SPDX-License-Identifier: Apache-2.0 */
/* Cooley and Tukey's fast Fourier transform: both halves, and parts of their combination, are tasks. */
#include <complex.h>
#include <math.h>

#include "common/hash.h"
#include "common/workload.h"

static long n, cutoff, combine_cutoff;

static const workload_option options[] = {
    {"n", "samples, a power of two", &n, 2, 1L << 26, {1L << 14, 1L << 21, 1L << 23}, NULL},
    {"cutoff",
     "length (samples) up to which a piece is transformed sequentially",
     &cutoff,
     1,
     1L << 26,
     {128, 128, 128},
     NULL},
    {"combine",
     "length (samples) up to which two halves are combined sequentially",
     &combine_cutoff,
     1,
     1L << 26,
     {128, 256, 256},
     NULL},
};
static const workload self = {
    "fft",
    "one-dimensional Fourier transform by the recursion of Cooley and Tukey (as in Cilk and BOTS): many small tasks "
    "with little computation per byte",
    options, WORKLOAD_OPTION_COUNT(options)};

typedef double complex sample;

static sample* roots; /* roots[k] = exp(-2 pi i k / n), k < n / 2 */

static sample root(long k, long length) {
    const double angle = -2 * 3.14159265358979323846 * (double)k / (double)length;
    return cos(angle) + sin(angle) * I;
}

static void combine_serial(sample* out, long half, long begin, long end) {
    const long step = n / (2 * half);
    for (long k = begin; k < end; ++k) {
        const sample even = out[k], odd = roots[k * step] * out[half + k];
        out[k] = even + odd;
        out[half + k] = even - odd;
    }
}

static void combine(sample* out, long half, long begin, long end) {
    if (end - begin <= combine_cutoff) {
        combine_serial(out, half, begin, end);
        return;
    }
    const long middle = begin + (end - begin) / 2;
#pragma omp task
    combine(out, half, begin, middle);
#pragma omp task
    combine(out, half, middle, end);
#pragma omp taskwait
}

static void transform_serial(const sample* in, long stride, sample* out, long length) {
    if (length == 1) {
        *out = *in;
        return;
    }
    const long half = length / 2;
    transform_serial(in, 2 * stride, out, half);
    transform_serial(in + stride, 2 * stride, out + half, half);
    combine_serial(out, half, 0, half);
}

static void transform(const sample* in, long stride, sample* out, long length) {
    if (length <= cutoff || length == 1) {
        transform_serial(in, stride, out, length);
        return;
    }
    const long half = length / 2;
#pragma omp task
    transform(in, 2 * stride, out, half);
#pragma omp task
    transform(in + stride, 2 * stride, out + half, half);
#pragma omp taskwait
    combine(out, half, 0, half);
}

static long count_combine(long length) {
    if (length <= combine_cutoff) return 0;
    return 2 + count_combine(length / 2) + count_combine(length - length / 2);
}

static long count_tasks(long length) {
    if (length <= cutoff || length == 1) return 0;
    return 2 + 2 * count_tasks(length / 2) + count_combine(length / 2);
}

static sample direct_bin(const sample* in, long bin) {
    sample sum = 0;
    for (long i = 0; i < n; ++i) {
        const long k = (long)((__int128)i * bin % n);
        sum += in[i] * (k < n / 2 ? roots[k] : -roots[k - n / 2]);
    }
    return sum;
}

static double energy(const sample* samples) {
    double sum = 0;
    for (long i = 0; i < n; ++i)
        sum += creal(samples[i] * conj(samples[i]));
    return sum;
}

/*
 * Sixteen bins by the definition of the transform, and Parseval's identity for all the others: the whole transform by
 * definition would take n^2 steps.
 */
static void check(const sample* in, const sample* out) {
    for (long probe = 0; probe < 16; ++probe) {
        const long bin = (long)(hash_mix((uint64_t)probe) % (uint64_t)n);
        const double error = cabs(direct_bin(in, bin) - out[bin]);
        workload_expect(error < 1e-9 * (double)n, "frequency %ld is off by %g", bin, error);
    }
    const double ratio = energy(out) / ((double)n * energy(in));
    workload_expect(fabs(ratio - 1) < 1e-9, "the transform's energy is off by a factor of %.12f", ratio);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    if (n & (n - 1)) workload_usage_error("--n must be a power of two, not %ld", n);
    sample *in = workload_allocate((size_t)n * sizeof *in), *out = workload_allocate((size_t)n * sizeof *out);
    roots = workload_allocate((size_t)(n / 2) * sizeof *roots);
    for (long k = 0; k < n / 2; ++k)
        roots[k] = root(k, n);
    for (long i = 0; i < n; ++i) {
        in[i] = hash_unit((uint64_t)i) - 0.5;
        out[i] = 0;
    }
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    transform(in, 1, out, n);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(in, out);
    const double first = creal(out[0]);
    free(in);
    free(out);
    free(roots);
    return workload_report(time_s, count_tasks(n), "f0:%.9f", first);
}
