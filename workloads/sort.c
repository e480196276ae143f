/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge sort whose phases change with the length of the piece: parallel merge sort, sequential quick sort below one
 * cutoff, insertion sort below another; and a parallel merge with a cutoff of its own.
 */
#include <stdint.h>

#include "common/hash.h"
#include "common/workload.h"

static long elements, quick_cutoff, insertion_cutoff, merge_cutoff;

static const workload_option options[] = {
    {"n", "numbers to sort", &elements, 1, 1L << 28, {1L << 16, 1L << 22, 1L << 24}, NULL},
    {"quick",
     "length (numbers) up to which a piece is sorted by sequential quick sort",
     &quick_cutoff,
     4,
     1L << 28,
     {4096, 4096, 4096},
     NULL},
    {"insertion",
     "length (numbers) up to which quick sort hands over to insertion sort",
     &insertion_cutoff,
     1,
     1L << 20,
     {128, 128, 128},
     NULL},
    {"merge",
     "length (numbers) up to which two pieces are merged sequentially",
     &merge_cutoff,
     2,
     1L << 28,
     {4096, 4096, 4096},
     NULL},
};
static const workload self = {
    "sort",
    "sorts random numbers in three phases - parallel merge sort in quarters, quick sort, insertion sort - with a "
    "parallel merge (the Sort of BOTS, descended from Cilk's; its parallelism waxes and wanes by construction)",
    options, WORKLOAD_OPTION_COUNT(options)};

static void insertion_sort(int32_t* a, long length) {
    for (long i = 1; i < length; ++i) {
        const int32_t value = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > value; --j)
            a[j] = a[j - 1];
        a[j] = value;
    }
}

static int32_t median_of_three(int32_t a, int32_t b, int32_t c) {
    if (a > b) {
        const int32_t t = a;
        a = b;
        b = t;
    }
    return c <= a ? a : c >= b ? b : c;
}

/* Hoare's partition: afterwards a[0..result] <= a[result+1..length-1] and both parts are non-empty. */
static long partition(int32_t* a, long length) {
    const int32_t pivot = median_of_three(a[0], a[(length - 1) / 2], a[length - 2]);
    long low = -1, high = length;
    for (;;) {
        do
            ++low;
        while (a[low] < pivot);
        do
            --high;
        while (a[high] > pivot);
        if (low >= high) return high;
        const int32_t t = a[low];
        a[low] = a[high];
        a[high] = t;
    }
}

static void quick_sort(int32_t* a, long length) {
    while (length > insertion_cutoff && length > 1) {
        const long left = partition(a, length) + 1;
        quick_sort(a, left);
        a += left;
        length -= left;
    }
    insertion_sort(a, length);
}

static void merge_serial(const int32_t* a, long na, const int32_t* b, long nb, int32_t* out) {
    while (na && nb) {
        if (*b < *a) {
            *out++ = *b++;
            --nb;
        } else {
            *out++ = *a++;
            --na;
        }
    }
    memcpy(out, na ? a : b, (size_t)(na + nb) * sizeof *out);
}

/* How many of the sorted `a` are smaller than `value`. */
static long lower_bound(const int32_t* a, long length, int32_t value) {
    long low = 0;
    while (length) {
        const long half = length / 2;
        if (a[low + half] < value) {
            low += half + 1;
            length -= half + 1;
        } else length = half;
    }
    return low;
}

static long merge_parallel(const int32_t* a, long na, const int32_t* b, long nb, int32_t* out) {
    long left_tasks = 0, right_tasks = 0;
    if (na < nb) return merge_parallel(b, nb, a, na, out);
    if (na + nb <= merge_cutoff) {
        merge_serial(a, na, b, nb, out);
        return 0;
    }
    const long split_a = na / 2, split_b = lower_bound(b, nb, a[split_a]);
#pragma omp task shared(left_tasks)
    left_tasks = merge_parallel(a, split_a, b, split_b, out);
#pragma omp task shared(right_tasks)
    right_tasks = merge_parallel(a + split_a, na - split_a, b + split_b, nb - split_b, out + split_a + split_b);
#pragma omp taskwait
    return 2 + left_tasks + right_tasks;
}

/* Sorts `a` with `scratch` of the same length; returns how many tasks that took. */
static long sort_parallel(int32_t* a, int32_t* scratch, long length) {
    long tasks[4] = {0, 0, 0, 0}, merge_tasks[3] = {0, 0, 0};
    if (length <= quick_cutoff) {
        quick_sort(a, length);
        return 0;
    }
    const long quarter = length / 4, half = 2 * quarter, rest = length - half;
    for (int i = 0; i < 4; ++i) {
        const long begin = i * quarter, size = i == 3 ? length - begin : quarter;
#pragma omp task shared(tasks) firstprivate(i, begin, size)
        tasks[i] = sort_parallel(a + begin, scratch + begin, size);
    }
#pragma omp taskwait
#pragma omp task shared(merge_tasks)
    merge_tasks[0] = merge_parallel(a, quarter, a + quarter, quarter, scratch);
#pragma omp task shared(merge_tasks)
    merge_tasks[1] = merge_parallel(a + half, quarter, a + half + quarter, rest - quarter, scratch + half);
#pragma omp taskwait
    merge_tasks[2] = merge_parallel(scratch, half, scratch + half, rest, a);
    return 6 + tasks[0] + tasks[1] + tasks[2] + tasks[3] + merge_tasks[0] + merge_tasks[1] + merge_tasks[2];
}

static void fill(int32_t* a) {
    for (long i = 0; i < elements; ++i)
        a[i] = (int32_t)(hash_mix((uint64_t)i) >> 32);
}

static int compare_int32(const void* left, const void* right) {
    const int32_t a = *(const int32_t*)left, b = *(const int32_t*)right;
    return (a > b) - (a < b);
}

static void check(const int32_t* sorted, int32_t* expected) {
    fill(expected);
    qsort(expected, (size_t)elements, sizeof *expected, compare_int32);
    for (long i = 0; i < elements; ++i)
        workload_expect(sorted[i] == expected[i], "element %ld is %d, expected %d", i, sorted[i], expected[i]);
}

int main(int argc, char** argv) {
    long tasks = 0;
    workload_init(&self, argc, argv);
    int32_t* a = workload_allocate((size_t)elements * sizeof *a);
    int32_t* scratch = workload_allocate((size_t)elements * sizeof *scratch);
    fill(a);
    memset(scratch, 0, (size_t)elements * sizeof *scratch);
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    tasks = sort_parallel(a, scratch, elements);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(a, scratch);
    const int32_t median = a[elements / 2];
    free(a);
    free(scratch);
    return workload_report(time_s, tasks, "median:%d", median);
}
