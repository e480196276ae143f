// SPDX-License-Identifier: Apache-2.0
// clang: it ignores the modifier strict
//
// Tests taskloop with grainsize, num_tasks (also strict), nogroup, collapse, signed and unsigned
// loop variables, and the clauses of tasks.
#include "check.h"

enum { N = 500 };
static int hits[N], chunk_of[N], chunks;

static void check_and_clear_hits(void) {
    for (int i = 0; i < N; i++)
        CHECK_EQ(hits[i], 1);
    memset(hits, 0, sizeof hits);
}

static void both_widths(void) {
#pragma omp taskloop
    for (long i = 10 + 3L * (N - 1); i >= 10; i -= 3)
        __atomic_fetch_add(&hits[(i - 10) / 3], 1, __ATOMIC_RELAXED);
    check_and_clear_hits();
#pragma omp taskloop num_tasks(7)
    for (unsigned long long i = -1000ull; i < -1000ull + N; i++)
        __atomic_fetch_add(&hits[i + 1000], 1, __ATOMIC_RELAXED);
    check_and_clear_hits();
#pragma omp taskloop collapse(2) grainsize(9)
    for (int i = 0; i < N / 10; i++)
        for (int j = 9; j >= 0; j--)
            __atomic_fetch_add(&hits[i * 10 + j], 1, __ATOMIC_RELAXED);
    check_and_clear_hits();
#pragma omp taskloop
    for (int i = 5; i < 5; i++)
        CHECK(!"an empty taskloop ran");
}

// firstprivate data is copied once for each task, so that a task can be told from the others.
static void count_tasks(long grainsize, int strict) {
    int mine = -1;
    chunks = 0;
    if (strict) {
#pragma omp taskloop grainsize(strict : grainsize) firstprivate(mine)
        for (int i = 0; i < N; i++) {
            if (mine < 0) mine = __atomic_fetch_add(&chunks, 1, __ATOMIC_RELAXED);
            chunk_of[i] = mine;
        }
        CHECK_EQ(chunks, (N + grainsize - 1) / grainsize);
    } else {
#pragma omp taskloop grainsize(grainsize) firstprivate(mine)
        for (int i = 0; i < N; i++) {
            if (mine < 0) mine = __atomic_fetch_add(&chunks, 1, __ATOMIC_RELAXED);
            chunk_of[i] = mine;
        }
    }
    int length[N] = {0};
    for (int i = 0; i < N; i++)
        length[chunk_of[i]]++;
    for (int chunk = 0; chunk < chunks; chunk++)
        if (strict) CHECK(length[chunk] == grainsize || chunk_of[N - 1] == chunk);
        else CHECK(length[chunk] >= grainsize && length[chunk] < 2 * grainsize);
}

static void count_num_tasks(int num_tasks) {
    int mine = -1;
    chunks = 0;
#pragma omp taskloop num_tasks(strict : num_tasks) firstprivate(mine)
    for (unsigned long long i = 0; i < N; i++)
        if (mine < 0) mine = __atomic_fetch_add(&chunks, 1, __ATOMIC_RELAXED);
    CHECK_EQ(chunks, num_tasks);
}

static void task_clauses(void) {
    int last = -1, condition = N % 2;
    long sum = 0;
#pragma omp taskloop untied priority(1) mergeable if (condition) lastprivate(last)
    for (int i = 0; i < N; i++)
        last = i;
    CHECK_EQ(last, N - 1);
#pragma omp taskloop final(1) reduction(+ : sum) num_tasks(6)
    for (int i = 0; i < N; i++) {
        CHECK(omp_in_final());
        sum += i;
    }
    CHECK_EQ(sum, N * (N - 1) / 2);
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup grainsize(10)
        for (int i = 0; i < N; i++)
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
    }
    check_and_clear_hits();
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        both_widths();
        for (long grainsize = 1; grainsize < N; grainsize = grainsize * 3 + 1) {
            count_tasks(grainsize, 0);
            count_tasks(grainsize, 1);
        }
        for (int num_tasks = 1; num_tasks <= 65; num_tasks *= 2)
            count_num_tasks(num_tasks);
        task_clauses();
    }
}
