/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-U factorisation of a sparse matrix of dense blocks. The tasks, tied or untied, are created by one
 * thread (`single`), by all threads together (`for`), or by one thread that waits for no task, because
 * dependences order the tasks (`depend`). No version has a cutoff, because tasks create no tasks.
 */
#include "common/distributed.h"
#include "common/hash.h"
#include "common/workload.h"

enum variant { VARIANT_SINGLE, VARIANT_FOR, VARIANT_DEPEND };
static const char* const variant_names[] = {"single", "for", "depend"};

static long blocks, block_size, variant, untied;

static const workload_option options[] = {
    {"blocks", "blocks per side of the matrix", &blocks, 1, 512, {8, 32, 64}, NULL},
    {"block", "rows and columns of a block", &block_size, 1, 1024, {16, 48, 64}, NULL},
    {"variant",
     "who creates the tasks: one thread in `single`, all threads in `for`, or one thread with depend clauses",
     &variant,
     0,
     2,
     {VARIANT_SINGLE, VARIANT_SINGLE, VARIANT_SINGLE},
     variant_names},
    {"tasks", "whether a task stays with its thread", &untied, 0, 1, {0, 0, 0}, workload_tie_names},
};
static const workload self = {
    "sparselu",
    "factorises a sparse matrix of dense blocks into L and U, one task per block and step (as in BOTS and SPEC's "
    "359.botsspar); its parallelism falls towards the end",
    options, WORKLOAD_OPTION_COUNT(options)};

typedef struct matrix {
    double** block; /* NULL where the block is all zeros */
} matrix;

static double** at(matrix m, long i, long j) { return &m.block[i * blocks + j]; }
static size_t block_bytes(void) { return (size_t)(block_size * block_size) * sizeof(double); }

static double* zero_block(void) {
    double* block = distributed_allocate(block_bytes());
    memset(block, 0, block_bytes());
    return block;
}

/* The three diagonals and about a fifth of the rest hold values; the diagonal dominates, so no pivoting is needed. */
static int holds_values(long i, long j) { return labs(i - j) <= 1 || hash_mix((uint64_t)(i * blocks + j)) % 5 == 0; }

static double* random_block(long i, long j) {
    double* block = distributed_allocate(block_bytes());
    const uint64_t base = (uint64_t)(i * blocks + j) << 24;
    for (long e = 0; e < block_size * block_size; ++e)
        block[e] = hash_unit(base + (uint64_t)e) - 0.5;
    if (i == j)
        for (long k = 0; k < block_size; ++k)
            block[k * block_size + k] += (double)(blocks * block_size);
    return block;
}

static matrix create(void) {
    matrix m = {workload_allocate((size_t)(blocks * blocks) * sizeof(double*))};
    for (long i = 0; i < blocks; ++i)
        for (long j = 0; j < blocks; ++j)
            *at(m, i, j) = holds_values(i, j) ? random_block(i, j) : NULL;
    return m;
}

static void destroy(matrix m) { distributed_free_vectors(m.block, blocks * blocks); }

static void factorise_diagonal(double* d) {
    const long s = block_size;
    for (long k = 0; k < s; ++k)
        for (long i = k + 1; i < s; ++i) {
            d[i * s + k] /= d[k * s + k];
            for (long j = k + 1; j < s; ++j)
                d[i * s + j] -= d[i * s + k] * d[k * s + j];
        }
}

/* Solves L x = row block. */
static void forward(const double* d, double* row) {
    const long s = block_size;
    for (long k = 0; k < s; ++k)
        for (long i = k + 1; i < s; ++i)
            for (long j = 0; j < s; ++j)
                row[i * s + j] -= d[i * s + k] * row[k * s + j];
}

/* Solves x U = column block. */
static void divide(const double* d, double* column) {
    const long s = block_size;
    for (long i = 0; i < s; ++i)
        for (long k = 0; k < s; ++k) {
            column[i * s + k] /= d[k * s + k];
            for (long j = k + 1; j < s; ++j)
                column[i * s + j] -= column[i * s + k] * d[k * s + j];
        }
}

static void modify(const double* column, const double* row, double* inner) {
    const long s = block_size;
    for (long i = 0; i < s; ++i)
        for (long k = 0; k < s; ++k)
            for (long j = 0; j < s; ++j)
                inner[i * s + j] -= column[i * s + k] * row[k * s + j];
}

static void modify_or_fill(matrix m, long i, long j, long k) {
    if (!*at(m, i, j)) *at(m, i, j) = zero_block();
    modify(*at(m, i, k), *at(m, k, j), *at(m, i, j));
}

static void factorise_serially(matrix m) {
    for (long k = 0; k < blocks; ++k) {
        factorise_diagonal(*at(m, k, k));
        for (long j = k + 1; j < blocks; ++j)
            if (*at(m, k, j)) forward(*at(m, k, k), *at(m, k, j));
        for (long i = k + 1; i < blocks; ++i)
            if (*at(m, i, k)) divide(*at(m, k, k), *at(m, i, k));
        for (long i = k + 1; i < blocks; ++i)
            for (long j = k + 1; j < blocks; ++j)
                if (*at(m, i, k) && *at(m, k, j)) modify_or_fill(m, i, j, k);
    }
}

static void spawn_forward(matrix m, long k, long j) {
    if (!*at(m, k, j)) return;
    if (untied) {
#pragma omp task untied
        forward(*at(m, k, k), *at(m, k, j));
    } else {
#pragma omp task
        forward(*at(m, k, k), *at(m, k, j));
    }
}

static void spawn_divide(matrix m, long k, long i) {
    if (!*at(m, i, k)) return;
    if (untied) {
#pragma omp task untied
        divide(*at(m, k, k), *at(m, i, k));
    } else {
#pragma omp task
        divide(*at(m, k, k), *at(m, i, k));
    }
}

static void spawn_modify(matrix m, long k, long i, long j) {
    if (untied) {
#pragma omp task untied
        modify_or_fill(m, i, j, k);
    } else {
#pragma omp task
        modify_or_fill(m, i, j, k);
    }
}

static void spawn_modify_row(matrix m, long k, long i) {
    if (!*at(m, i, k)) return;
    for (long j = k + 1; j < blocks; ++j)
        if (*at(m, k, j)) spawn_modify(m, k, i, j);
}

static void factorise_single(matrix m) {
#pragma omp parallel
#pragma omp single
    for (long k = 0; k < blocks; ++k) {
        factorise_diagonal(*at(m, k, k));
        for (long j = k + 1; j < blocks; ++j)
            spawn_forward(m, k, j);
        for (long i = k + 1; i < blocks; ++i)
            spawn_divide(m, k, i);
#pragma omp taskwait
        for (long i = k + 1; i < blocks; ++i)
            spawn_modify_row(m, k, i);
#pragma omp taskwait
    }
}

/* The barrier that ends each `for` and `single` also waits for the tasks. */
static void factorise_for(matrix m) {
#pragma omp parallel
    for (long k = 0; k < blocks; ++k) {
#pragma omp single
        factorise_diagonal(*at(m, k, k));
#pragma omp for nowait
        for (long j = k + 1; j < blocks; ++j)
            spawn_forward(m, k, j);
#pragma omp for
        for (long i = k + 1; i < blocks; ++i)
            spawn_divide(m, k, i);
#pragma omp for schedule(dynamic)
        for (long i = k + 1; i < blocks; ++i)
            spawn_modify_row(m, k, i);
    }
}

static void spawn_diagonal_after(double* d, long area) {
    if (untied) {
#pragma omp task untied depend(inout : d[ : area])
        factorise_diagonal(d);
    } else {
#pragma omp task depend(inout : d[ : area])
        factorise_diagonal(d);
    }
}

static void spawn_forward_after(const double* d, double* row, long area) {
    if (untied) {
#pragma omp task untied depend(in : d[ : area]) depend(inout : row[ : area])
        forward(d, row);
    } else {
#pragma omp task depend(in : d[ : area]) depend(inout : row[ : area])
        forward(d, row);
    }
}

static void spawn_divide_after(const double* d, double* column, long area) {
    if (untied) {
#pragma omp task untied depend(in : d[ : area]) depend(inout : column[ : area])
        divide(d, column);
    } else {
#pragma omp task depend(in : d[ : area]) depend(inout : column[ : area])
        divide(d, column);
    }
}

static void spawn_modify_after(const double* column, const double* row, double* inner, long area) {
    if (untied) {
#pragma omp task untied depend(in : column[ : area], row[ : area]) depend(inout : inner[ : area])
        modify(column, row, inner);
    } else {
#pragma omp task depend(in : column[ : area], row[ : area]) depend(inout : inner[ : area])
        modify(column, row, inner);
    }
}

static void spawn_step(matrix m, long k) {
    const long area = block_size * block_size;
    spawn_diagonal_after(*at(m, k, k), area);
    for (long j = k + 1; j < blocks; ++j)
        if (*at(m, k, j)) spawn_forward_after(*at(m, k, k), *at(m, k, j), area);
    for (long i = k + 1; i < blocks; ++i)
        if (*at(m, i, k)) spawn_divide_after(*at(m, k, k), *at(m, i, k), area);
    for (long i = k + 1; i < blocks; ++i)
        for (long j = k + 1; j < blocks; ++j) {
            if (!*at(m, i, k) || !*at(m, k, j)) continue;
            if (!*at(m, i, j)) *at(m, i, j) = zero_block(); /* here: a dependence needs an address */
            spawn_modify_after(*at(m, i, k), *at(m, k, j), *at(m, i, j), area);
        }
}

static void factorise_depend(matrix m) {
#pragma omp parallel
#pragma omp single
    for (long k = 0; k < blocks; ++k)
        spawn_step(m, k);
}

/* Only where blocks are matters, so this replays the fill-in. */
static long count_tasks(void) {
    char* holds = workload_allocate((size_t)(blocks * blocks));
    long tasks = variant == VARIANT_DEPEND ? blocks : 0; /* factorise_diagonal() */
    for (long e = 0; e < blocks * blocks; ++e)
        holds[e] = (char)holds_values(e / blocks, e % blocks);
    for (long k = 0; k < blocks; ++k)
        for (long i = k + 1; i < blocks; ++i) {
            tasks += holds[i * blocks + k] + holds[k * blocks + i];
            for (long j = k + 1; j < blocks; ++j) {
                if (!holds[i * blocks + k] || !holds[k * blocks + j]) continue;
                holds[i * blocks + j] = 1;
                ++tasks;
            }
        }
    free(holds);
    return tasks;
}

/* Each block sees the same operations in the same order, so the serial result is equal bit by bit. */
static void check(matrix m) {
    matrix expected = create();
    factorise_serially(expected);
    for (long i = 0; i < blocks; ++i)
        for (long j = 0; j < blocks; ++j) {
            const double *have = *at(m, i, j), *want = *at(expected, i, j);
            workload_expect(!have == !want && (!have || !memcmp(have, want, block_bytes())),
                            "block (%ld, %ld) differs from the serial result", i, j);
        }
    destroy(expected);
}

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    matrix m = create();
    const double start = workload_seconds();
    if (variant == VARIANT_FOR) factorise_for(m);
    else if (variant == VARIANT_DEPEND) factorise_depend(m);
    else factorise_single(m);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) check(m);
    const double last = (*at(m, blocks - 1, blocks - 1))[block_size * block_size - 1];
    destroy(m);
    return workload_report(time_s, count_tasks(), "last:%.9f", last);
}
