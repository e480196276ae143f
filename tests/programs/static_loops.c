// SPDX-License-Identifier: Apache-2.0
// Static loops of every form. The program writes which thread ran which iteration of each loop, and
// what the loop computed, so that a test can compare two ways to compile it.
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 200 };
static int by[MOST];
static long total;

static void begin(void) {
    memset(by, -1, sizeof by);
    total = 0;
}

static void took(long i) { by[i] = omp_get_thread_num(); }

static void write_out(const char *name, int count) {
    printf("%s:", name);
    for (int i = 0; i < count; ++i)
        printf(" %d", by[i]);
    printf(" = %ld\n", total);
}

#define LOOP(name, count, ...)                                                                                         \
    static void name(int n, int chunk) {                                                                               \
        (void)n, (void)chunk;                                                                                          \
        begin();                                                                                                       \
        __VA_ARGS__                                                                                                    \
        write_out(#name, count);                                                                                       \
    }
#define DO(text) _Pragma(#text)

LOOP(no_clause, n, DO(omp parallel for) for (int i = 0; i < n; ++i) took(i);)
LOOP(no_chunk, n, DO(omp parallel for schedule(static)) for (int i = 0; i < n; ++i) took(i);)
LOOP(of_four, n, DO(omp parallel for schedule(static, 4)) for (int i = 0; i < n; ++i) took(i);)
LOOP(of_variable, n, DO(omp parallel for schedule(static, chunk)) for (int i = 0; i < n; ++i) took(i);)
LOOP(automatic, n, DO(omp parallel for schedule(auto)) for (int i = 0; i < n; ++i) took(i);)
LOOP(downwards, n, DO(omp parallel for schedule(static, 3)) for (int i = n - 1; i >= 0; i -= 2) took(i);)
LOOP(of_unsigned, n, DO(omp parallel for) for (unsigned i = 0; i < (unsigned)n; i += 3) took(i);)
LOOP(unsigned_down, n, DO(omp parallel for) for (unsigned i = n; i > 0; --i) took(i - 1);)
LOOP(unsigned_down_to, n, DO(omp parallel for schedule(static, 3)) for (unsigned i = UINT_MAX; i != UINT_MAX - n; --i)
                              took(UINT_MAX - i);)
LOOP(unsigned_up_to, n, DO(omp parallel for) for (unsigned i = 0; i != (unsigned)n; ++i) took(i);)
LOOP(short_down, n, DO(omp parallel for) for (unsigned short i = n; i > 0; --i) took(i - 1);)
LOOP(char_up, n, DO(omp parallel for) for (signed char i = SCHAR_MIN; i < SCHAR_MIN + n; ++i) took(i - SCHAR_MIN);)
LOOP(long_down, n, DO(omp parallel for schedule(static, chunk)) for (unsigned long i = n; i > 0; --i) took(i - 1);)
LOOP(pointers_down, n, DO(omp parallel for schedule(static, 3)) for (int *p = by + n; p > by; p -= 2) took(p - by - 1);)
LOOP(collapsed_down, 60,
     DO(omp parallel for collapse(2) schedule(static, 7)) for (unsigned i = 6; i > 0; --i) for (unsigned short j = 10; j > 0;
                                                                                             --j)
         took((i - 1) * 10 + j - 1);)
LOOP(of_long, n, DO(omp parallel for schedule(static, 5)) for (unsigned long i = 1; i <= (unsigned long)n; ++i) took(i - 1);)
LOOP(of_long_long, n,
     DO(omp parallel for) for (unsigned long long i = ULLONG_MAX - n; i < ULLONG_MAX; ++i) took(i - (ULLONG_MAX - n));)
LOOP(of_long_long_chunks, n,
     DO(omp parallel for schedule(static, chunk)) for (unsigned long long i = ULLONG_MAX; i > ULLONG_MAX - n; --i)
         took(ULLONG_MAX - i);)
LOOP(over_pointers, n, int *const end = by + n; DO(omp parallel for schedule(static, 7)) for (int *p = by; p < end; ++p)
                           took(p - by);)
LOOP(collapsed, 60,
     DO(omp parallel for collapse(3)) for (int i = 0; i < 3; ++i) for (int j = 0; j < 4; ++j) for (int k = 0; k < 5; ++k)
         took(i * 20 + j * 5 + k);)
LOOP(collapsed_variable, 7 * n % MOST,
     DO(omp parallel for collapse(2) schedule(static, chunk)) for (int i = 0; i < 7; ++i) for (int j = 0; j < n % 25; ++j)
         took(i * (n % 25) + j);)
LOOP(triangle, 45,
     DO(omp parallel for collapse(2)) for (int i = 0; i < 10; ++i) for (int j = 0; j < i; ++j) took(i * (i - 1) / 2 + j);)
LOOP(simd, n, int a[MOST]; DO(omp parallel for simd) for (int i = 0; i < n; ++i) a[i] = 3 * i;
     for (int i = 0; i < n; ++i) total += a[i];)
LOOP(simd_chunks, n, int a[MOST]; DO(omp parallel for simd schedule(simd : static, 3)) for (int i = 0; i < n; ++i)
                         a[i] = omp_get_thread_num();
     memcpy(by, a, sizeof(int) * n);)
LOOP(last, n, long last = -1; DO(omp parallel for lastprivate(last)) for (int i = 0; i < n; ++i) {
    took(i);
    last = 2 * i;
} total = n > 0 ? last : 0;)
LOOP(last_chunks, n, long last = -1;
     DO(omp parallel for lastprivate(last) schedule(static, 2)) for (int i = 0; i < n; ++i) {
         took(i);
         last = 2 * i;
     } total = n > 0 ? last : 0;)
LOOP(last_conditional, n, long last = -1;
     DO(omp parallel for lastprivate(conditional : last)) for (int i = 0; i < n; ++i) {
         took(i);
         if (i % 7 == 3) last = i;
     } total = last;)
LOOP(first, n, long start = 5; DO(omp parallel for firstprivate(start) reduction(+ : total)) for (int i = 0; i < n; ++i) {
    took(i);
    total += start + i;
})
LOOP(linear, n, long place = 5; DO(omp parallel for linear(place : 2) schedule(static, 3)) for (int i = 0; i < n; ++i) {
    by[i] = place % 100;
    place += 2;
} total = place;)
LOOP(reduced, n, DO(omp parallel for reduction(+ : total) schedule(static, chunk)) for (int i = 0; i < n; ++i) {
    took(i);
    total += i;
})
LOOP(reduced_by_tasks, n,
     DO(omp parallel for reduction(task, + : total) schedule(static, 2)) for (int i = 0; i < n; ++i) {
         took(i);
         DO(omp task in_reduction(+ : total)) total += i;
     })
LOOP(linear_reduced_by_tasks, n, long place = 5;
     DO(omp parallel) DO(omp for linear(place : 2) reduction(task, + : total)) for (int i = 0; i < n; ++i) {
         took((int)place);
         place += 2;
         total += i;
     } total += place;)
LOOP(scanned, n, int a[MOST]; DO(omp parallel for reduction(inscan, + : total)) for (int i = 0; i < n; ++i) {
    total += i;
    DO(omp scan inclusive(total))
    a[i] = total;
} memcpy(by, a, sizeof(int) * n);)
LOOP(two_without_wait, n, DO(omp parallel) {
    DO(omp for nowait) for (int i = 0; i < n; ++i) took(i);
    DO(omp for nowait) for (int i = 0; i < n; ++i) by[i] = by[i] * 100 + omp_get_thread_num();
})
LOOP(many_loops, n, DO(omp parallel) for (int round = 0; round < 50; ++round) {
    DO(omp for schedule(static, 1) nowait) for (int i = 0; i < n; ++i) by[i] += omp_get_thread_num() * (round + i);
})
LOOP(nested, n, DO(omp parallel for) for (int i = 0; i < 4; ++i) {
    DO(omp parallel for num_threads(2) schedule(static, 2)) for (int j = 0; j < n / 4; ++j) by[i * (n / 4) + j] =
        omp_get_ancestor_thread_num(1) * 10 + omp_get_thread_num();
})
LOOP(distributed, n, int a[MOST]; DO(omp teams distribute parallel for num_teams(2)) for (int i = 0; i < n; ++i) a[i] =
                         omp_get_team_num() * 10 + omp_get_thread_num();
     memcpy(by, a, sizeof(int) * n);)
LOOP(distributed_chunks, n, int a[MOST];
     DO(omp teams distribute parallel for num_teams(2) dist_schedule(static, 8) schedule(static, 3)) for (int i = 0; i < n;
                                                                                                         ++i) a[i] =
         omp_get_team_num() * 10 + omp_get_thread_num();
     memcpy(by, a, sizeof(int) * n);)
LOOP(distributed_simd, n, int a[MOST];
     DO(omp teams distribute parallel for simd num_teams(2) collapse(2)) for (int i = 0; i < 4; ++i) for (int j = 0; j < n / 4;
                                                                                                          ++j)
         a[i * (n / 4) + j] = i * j;
     for (int i = 0; i < n / 4 * 4; ++i) total += a[i];)
LOOP(on_target, n, DO(omp target teams distribute parallel for map(tofrom : by)) for (int i = 0; i < n; ++i) took(i);)
LOOP(loop_construct, n, int a[MOST]; DO(omp parallel) DO(omp loop) for (int i = 0; i < n; ++i) a[i] = i * 3;
     for (int i = 0; i < n; ++i) total += a[i];)
LOOP(concurrent, n, int a[MOST]; DO(omp parallel for order(concurrent)) for (int i = 0; i < n; ++i) a[i] = i * 3;
     for (int i = 0; i < n; ++i) total += a[i];)
LOOP(cancelled, 0, DO(omp parallel for) for (int i = 0; i < n; ++i) {
    took(i);
    DO(omp cancel for)
})
LOOP(in_order, n, DO(omp parallel for ordered schedule(static, 2)) for (int i = 0; i < n; ++i) {
    took(i);
    DO(omp ordered) total = total * 3 % 1000003 + i;
})
LOOP(across, n, DO(omp parallel for ordered(1) schedule(static, 1)) for (int i = 1; i < n; ++i) {
    DO(omp ordered depend(sink : i - 1))
    by[i] = i == 1 ? 1 : (by[i - 1] * 3 + i) % 1009;
    DO(omp ordered depend(source))
})
// Dynamic loops whose calls are those of changed loops: functions that stay as they are.
LOOP(beside_monotonic, n, DO(omp parallel for) for (int i = 0; i < n; ++i) took(i);
     DO(omp parallel for schedule(monotonic : dynamic, 4) reduction(+ : total)) for (int i = 0; i < n; ++i) total += i;)
LOOP(beside_conditional, n, long last = 0; DO(omp parallel for) for (int i = 0; i < n; ++i) took(i);
     DO(omp parallel for schedule(dynamic) lastprivate(conditional : last)) for (int i = 0; i < n; ++i) if (i % 5 == 1) last =
         i;
     total = last;)
LOOP(beside_doacross, n, int a[MOST]; DO(omp parallel for) for (int i = 0; i < n; ++i) took(i); a[0] = 1;
     DO(omp parallel for ordered(1) schedule(dynamic)) for (int i = 1; i < n; ++i) {
         DO(omp ordered depend(sink : i - 1))
         a[i] = (a[i - 1] * 3 + i) % 1009;
         DO(omp ordered depend(source))
     } total = a[n > 0 ? n - 1 : 0];)
LOOP(beside_dynamic, n, DO(omp parallel for) for (int i = 0; i < n; ++i) took(i);
     DO(omp parallel for schedule(dynamic, 4) reduction(+ : total)) for (int i = 0; i < n; ++i) total += i;)

static void orphan(int n, int chunk) {
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < n; ++i)
        took(i);
}
LOOP(orphaned, n, DO(omp parallel) orphan(n, chunk);)
LOOP(alone, n, orphan(n, chunk);)
LOOP(from_a_task, n, DO(omp parallel) DO(omp single) DO(omp task) {
    DO(omp parallel for num_threads(2)) for (int i = 0; i < n; ++i) took(i);
})
LOOP(with_if, n, DO(omp parallel for if (n > 5) num_threads(2)) for (int i = 0; i < n; ++i) took(i);)
LOOP(overflow, n, DO(omp parallel for schedule(static, chunk)) for (int i = INT_MAX - n; i < INT_MAX; ++i)
                      took(i - (INT_MAX - n));)

int main(void) {
    void (*const loops[])(int, int) = {
        no_clause, no_chunk, of_four, of_variable, automatic, downwards, of_unsigned, unsigned_down, unsigned_down_to, unsigned_up_to,
        short_down, char_up, long_down, pointers_down, collapsed_down, of_long, of_long_long,
        of_long_long_chunks, over_pointers, collapsed, collapsed_variable, triangle, simd, simd_chunks, last, last_chunks,
        last_conditional, first, linear, reduced, reduced_by_tasks, linear_reduced_by_tasks, scanned, two_without_wait, many_loops, nested,
        distributed, distributed_chunks, distributed_simd, on_target, loop_construct, concurrent, cancelled, in_order, across,
        beside_monotonic, beside_conditional, beside_doacross, beside_dynamic, orphaned, alone, from_a_task,
        with_if, overflow,
    };
    const int counts[] = {0, 1, 2, 7, 100};
    for (size_t which = 0; which < sizeof loops / sizeof *loops; ++which)
        for (int i = 0; i < 5; ++i)
            loops[which](counts[i], 1 + 2 * i);
    return 0;
}
