/* SPDX-License-Identifier: Apache-2.0 */
/* Finds all placements of n queens: one task for each safe square, down to a depth. */
#include "common/workload.h"

enum { MAX_N = 18 };
enum variant { VARIANT_MANUAL, VARIANT_IF, VARIANT_FINAL };
static const char* const variant_names[] = {"manual", "if", "final"};

static long n, cutoff, variant;

static const workload_option options[] = {
    {"n", "queens, and squares per side", &n, 1, MAX_N, {8, 15, 16}, NULL},
    {"cutoff", "rows whose queens are placed by tasks of their own", &cutoff, 0, MAX_N, {3, 4, 5}, NULL},
    {"variant",
     "how task creation is limited: by a test in the program, or by a clause",
     &variant,
     0,
     2,
     {VARIANT_MANUAL, VARIANT_MANUAL, VARIANT_MANUAL},
     variant_names},
};
static const workload self = {
    "nqueens",
    "counts all placements of n queens that do not attack each other, one task per safe square (the exhaustive "
    "search of the task suites, as in BOTS)",
    options, WORKLOAD_OPTION_COUNT(options)};

/* Which columns and diagonals are attacked, as bits of the row to be filled next. */
typedef struct board {
    unsigned columns, left, right;
    int row;
} board;

static unsigned safe_squares(board b) { return ~(b.columns | b.left | b.right) & ((1u << n) - 1); }

static board place(board b, unsigned square) {
    const board next = {b.columns | square, (b.left | square) << 1, (b.right | square) >> 1, b.row + 1};
    return next;
}

static long solve_serial(board b) {
    long solutions = 0;
    if (b.row == n) return 1;
    for (unsigned free = safe_squares(b); free; free &= free - 1)
        solutions += solve_serial(place(b, free & -free));
    return solutions;
}

static long solve(board b) {
    long found[MAX_N] = {0}, solutions = 0;
    int child = 0;
    if (b.row == n) return 1;
    if (variant == VARIANT_MANUAL && b.row >= cutoff) return solve_serial(b);
    for (unsigned free = safe_squares(b); free; free &= free - 1, ++child) {
        const board next = place(b, free & -free);
        switch (variant) {
        case VARIANT_IF:
#pragma omp task shared(found) firstprivate(next, child) if (next.row <= cutoff)
            found[child] = solve(next);
            break;
        case VARIANT_FINAL:
#pragma omp task shared(found) firstprivate(next, child) final(next.row > cutoff) mergeable
            found[child] = solve(next);
            break;
        default:
#pragma omp task shared(found) firstprivate(next, child)
            found[child] = solve(next);
        }
    }
#pragma omp taskwait
    for (int i = 0; i < child; ++i)
        solutions += found[i];
    return solutions;
}

/* Safe placements in the rows above `limit`: one task construct each. */
static long count_tasks(board b, long limit) {
    long tasks = 0;
    if (b.row >= limit) return 0;
    for (unsigned free = safe_squares(b); free; free &= free - 1)
        tasks += 1 + count_tasks(place(b, free & -free), limit);
    return tasks;
}

int main(int argc, char** argv) {
    const board empty = {0, 0, 0, 0};
    long solutions = 0;
    workload_init(&self, argc, argv);
    const double start = workload_seconds();
#pragma omp parallel
#pragma omp single
    solutions = solve(empty);
    const double time_s = workload_seconds() - start;
    if (workload_check_wanted()) {
        const long expected = solve_serial(empty);
        workload_expect(solutions == expected, "%ld placements, expected %ld", solutions, expected);
    }
    const long limit = variant == VARIANT_MANUAL && cutoff < n ? cutoff : n;
    return workload_report(time_s, count_tasks(empty, limit), "%ld", solutions);
}
