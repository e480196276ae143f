/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix multiplication after Strassen: seven half-sized products, tasks down to a cutoff. */
#include "common/freivalds.h"
#include "common/hash.h"
#include "common/workload.h"

enum { MAX_DEPTH = 16 };
enum variant { VARIANT_MANUAL, VARIANT_IF, VARIANT_FINAL, VARIANT_ALL };
static const char* const variant_names[] = {"manual", "if", "final", "all"};

static long n, cutoff, depth_cutoff, variant, untied;

static const workload_option options[] = {
    {"n", "rows and columns, a power of two", &n, 2, 8192, {128, 1024, 2048}, NULL},
    {"cutoff", "rows up to which a product is computed directly", &cutoff, 1, 8192, {32, 64, 64}, NULL},
    {"depth", "depth of recursion whose products are tasks", &depth_cutoff, 0, MAX_DEPTH, {2, 3, 4}, NULL},
    {"variant",
     "how task creation is limited beyond --depth: by a test in the program, by a clause, or not at all",
     &variant,
     0,
     3,
     {VARIANT_MANUAL, VARIANT_MANUAL, VARIANT_MANUAL},
     variant_names},
    {"tasks", "whether a task stays with its thread", &untied, 0, 1, {0, 0, 0}, workload_tie_names},
};
static const workload self = {
    "strassen",
    "multiplies two square matrices by Strassen's recursion, seven tasks per level (as in Cilk and BOTS); its tasks "
    "are large and move much memory",
    options, WORKLOAD_OPTION_COUNT(options)};

typedef struct view {
    double* data;
    long stride;
} view;

enum quadrant { Q11, Q12, Q21, Q22, NONE };

static view quadrant_of(view m, int quadrant, long half) {
    const view q = {m.data + (quadrant / 2) * half * m.stride + (quadrant % 2) * half, m.stride};
    return q;
}

/* A factor of a product: one quadrant, or two of them added or subtracted. */
typedef struct factor {
    int first, second;
    double sign;
} factor;

static const struct {
    factor a, b;
} products[7] = {
    {{Q11, Q22, 1}, {Q11, Q22, 1}},   {{Q21, Q22, 1}, {Q11, NONE, 0}}, {{Q11, NONE, 0}, {Q12, Q22, -1}},
    {{Q22, NONE, 0}, {Q21, Q11, -1}}, {{Q11, Q12, 1}, {Q22, NONE, 0}}, {{Q21, Q11, -1}, {Q11, Q12, 1}},
    {{Q12, Q22, -1}, {Q21, Q22, 1}},
};

/* Returns the factor itself where it is a quadrant, else its value in `room`. */
static view evaluate(view m, factor f, long half, double* room) {
    const view first = quadrant_of(m, f.first, half), sum = {room, half};
    if (f.second == NONE) return first;
    const view second = quadrant_of(m, f.second, half);
    for (long i = 0; i < half; ++i)
        for (long j = 0; j < half; ++j)
            room[i * half + j] = first.data[i * first.stride + j] + f.sign * second.data[i * second.stride + j];
    return sum;
}

static void multiply_directly(view c, view a, view b, long size) {
    for (long i = 0; i < size; ++i) {
        double* row = c.data + i * c.stride;
        memset(row, 0, (size_t)size * sizeof *row);
        for (long k = 0; k < size; ++k) {
            const double factor = a.data[i * a.stride + k], *other = b.data + k * b.stride;
            for (long j = 0; j < size; ++j)
                row[j] += factor * other[j];
        }
    }
}

static void multiply(view c, view a, view b, long size, long depth);

static void multiply_product(double* m, view a, view b, int product, long half, long depth) {
    double* room = workload_allocate(2 * (size_t)(half * half) * sizeof *room);
    const view left = evaluate(a, products[product].a, half, room);
    const view right = evaluate(b, products[product].b, half, room + half * half);
    const view result = {m, half};
    multiply(result, left, right, half, depth + 1);
    free(room);
}

/* A variant without a clause has an `if` that holds and a `final` that does not: the same as none. */
static void spawn_product(double* m, view a, view b, int product, long half, long depth) {
    const int beyond = depth >= depth_cutoff;
    const int deferred = variant != VARIANT_IF || !beyond, last = variant == VARIANT_FINAL && beyond;
    if (variant == VARIANT_MANUAL && beyond) {
        multiply_product(m, a, b, product, half, depth);
    } else if (untied) {
#pragma omp task untied if (deferred) final(last) mergeable
        multiply_product(m, a, b, product, half, depth);
    } else {
#pragma omp task if (deferred) final(last) mergeable
        multiply_product(m, a, b, product, half, depth);
    }
}

static void combine(view c, const double* m, long half) {
    const long area = half * half;
    const view c11 = quadrant_of(c, Q11, half), c12 = quadrant_of(c, Q12, half);
    const view c21 = quadrant_of(c, Q21, half), c22 = quadrant_of(c, Q22, half);
    for (long i = 0; i < half; ++i)
        for (long j = 0; j < half; ++j) {
            const double* at = m + i * half + j;
            const double m1 = at[0], m2 = at[area], m3 = at[2 * area], m4 = at[3 * area];
            const double m5 = at[4 * area], m6 = at[5 * area], m7 = at[6 * area];
            const long to = i * c.stride + j;
            c11.data[to] = m1 + m4 - m5 + m7;
            c12.data[to] = m3 + m5;
            c21.data[to] = m2 + m4;
            c22.data[to] = m1 - m2 + m3 + m6;
        }
}

static void multiply(view c, view a, view b, long size, long depth) {
    if (size <= cutoff) {
        multiply_directly(c, a, b, size);
        return;
    }
    const long half = size / 2;
    double* m = workload_allocate(7 * (size_t)(half * half) * sizeof *m);
    for (int product = 0; product < 7; ++product)
        spawn_product(m + product * half * half, a, b, product, half, depth);
#pragma omp taskwait
    combine(c, m, half);
    free(m);
}

static long count_tasks(long size, long depth) {
    if (size <= cutoff || (variant == VARIANT_MANUAL && depth >= depth_cutoff)) return 0;
    return 7 * (1 + count_tasks(size / 2, depth + 1));
}

static void apply(const void* matrix, const double* vector, double* result) {
    const double* elements = matrix;
    for (long i = 0; i < n; ++i) {
        result[i] = 0;
        for (long j = 0; j < n; ++j)
            result[i] += elements[i * n + j] * vector[j];
    }
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    if (n & (n - 1)) workload_usage_error("--n must be a power of two, not %ld", n);
    const size_t area = (size_t)(n * n);
    double *a = workload_allocate(3 * area * sizeof *a), *b = a + area, *c = b + area;
    for (size_t i = 0; i < area; ++i) {
        a[i] = hash_unit(i) - 0.5;
        b[i] = hash_unit(i + area) - 0.5;
        c[i] = 0;
    }
    const view va = {a, n}, vb = {b, n}, vc = {c, n};
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    multiply(vc, va, vb, n, 0);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) freivalds_check(n, 1e-9, apply, a, b, c);
    const double corner = c[0];
    free(a);
    return workload_report(time_s, count_tasks(n, 0), "c00:%.9f", corner);
}
