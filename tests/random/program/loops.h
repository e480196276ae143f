// SPDX-License-Identifier: Apache-2.0
//
// Work-sharing constructs that the implicit tasks of a team meet: loops of all schedules, ordered
// and doacross loops, sections, single.
#ifndef RANDOM_LOOPS_H
#define RANDOM_LOOPS_H

#include "tasks.h"

// Returns the state of the loop that this thread is about to enter. The first thread of the team to
// get here creates the state. The state is freed when the team ends.
static struct instance* instance_of(struct frame* frame, struct node* node) {
    struct team* team = frame->team;
    long number = frame->loops++;
    pthread_mutex_lock(&team->lock);
    struct instance* one = team->instances;
    while (one != NULL && one->number != number)
        one = one->older;
    if (one == NULL) {
        one = calloc(1, sizeof *one);
        one->node = node;
        one->number = number;
        one->older = team->instances;
        if (node->kind == KIND_doacross) one->done = calloc((size_t)GET(node, n) + 1, 1);
        team->instances = one;
    }
    pthread_mutex_unlock(&team->lock);
    return one;
}

static void end_instances(struct frame* frame, struct team* team) {
    for (struct instance *one = team->instances, *older; one != NULL; one = older) {
        long n = GET(one->node, n), expected = one->contributions;
        if (one->node->kind == KIND_loop && GET(one->node, reduce) == 1) expected = n * (n - 1) / 2;
        check_sum(frame, one->node, one->sum, expected);
        older = one->older;
        free(one->done);
        free(one);
    }
}

enum schedule { STATIC, STATIC_CHUNK, DYNAMIC, GUIDED, RUNTIME, AUTO, MONOTONIC, NONMONOTONIC };

static void run_iteration(struct frame* frame, struct node* node, long iteration) {
    count_iteration(node, iteration);
    run_children(node, frame);
}

static void run_ordered(struct frame* frame, struct node* node, struct instance* instance, long i) {
    long before = atomic_exchange(&instance->next, i + 1);
    if (before != i) FAIL(node, "iteration %ld comes after %ld in order", i, before - 1);
    if (GET(node, ordered) == 2) run_children(node, frame);
}

#define FOR(T, body, ...)                                                                                              \
    do {                                                                                                               \
        PRAGMA(omp for __VA_ARGS__)                                                                                    \
        for (T i = 0; i < (T)n; i++)                                                                                   \
            body                                                                                                       \
    } while (0)

#define FOR_EACH_SCHEDULE(T, body, ...)                                                                                \
    switch ((enum schedule)GET(node, schedule)) {                                                                      \
    case STATIC:                                                                                                       \
        FOR(T, body, schedule(static) __VA_ARGS__);                                                                    \
        break;                                                                                                         \
    case STATIC_CHUNK:                                                                                                 \
        FOR(T, body, schedule(static, chunk) __VA_ARGS__);                                                             \
        break;                                                                                                         \
    case DYNAMIC:                                                                                                      \
        FOR(T, body, schedule(dynamic, chunk) __VA_ARGS__);                                                            \
        break;                                                                                                         \
    case GUIDED:                                                                                                       \
        FOR(T, body, schedule(guided, chunk) __VA_ARGS__);                                                             \
        break;                                                                                                         \
    case RUNTIME:                                                                                                      \
        FOR(T, body, schedule(runtime) __VA_ARGS__);                                                                   \
        break;                                                                                                         \
    case AUTO:                                                                                                         \
        FOR(T, body, schedule(auto) __VA_ARGS__);                                                                      \
        break;                                                                                                         \
    case MONOTONIC:                                                                                                    \
        FOR(T, body, schedule(monotonic : dynamic, chunk) __VA_ARGS__);                                                \
        break;                                                                                                         \
    default:                                                                                                           \
        FOR(T, body, schedule(dynamic, chunk) __VA_ARGS__);                                                            \
    }

#define PLAIN_BODY                                                                                                     \
    {                                                                                                                  \
        run_iteration(frame, node, (long)i);                                                                           \
    }
#define ORDERED_BODY                                                                                                   \
    {                                                                                                                  \
        count_iteration(node, (long)i);                                                                                \
        if (GET(node, ordered) == 1) run_children(node, frame);                                                        \
        PRAGMA(omp ordered)                                                                                            \
        run_ordered(frame, node, instance, (long)i);                                                                   \
    }
#define CANCELLING_BODY                                                                                                \
    {                                                                                                                  \
        PRAGMA(omp cancellation point for)                                                                             \
        run_iteration(frame, node, (long)i);                                                                           \
        if ((long)i == GET(node, cancel) - 1) {                                                                        \
            PRAGMA(omp cancel for)                                                                                     \
        }                                                                                                              \
    }
#define REDUCING_BODY                                                                                                  \
    {                                                                                                                  \
        sum[0] += (long)i;                                                                                             \
        run_iteration(frame, node, (long)i);                                                                           \
    }

#define DEFINE_LOOP(function, T)                                                                                       \
    static void function(struct frame* frame, struct node* node) {                                                     \
        long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);                                   \
        if (GET(node, nowait)) {                                                                                       \
            FOR_EACH_SCHEDULE(T, PLAIN_BODY, nowait)                                                                   \
        } else {                                                                                                       \
            FOR_EACH_SCHEDULE(T, PLAIN_BODY)                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void function##_ordered(struct frame* frame, struct node* node) {                                           \
        struct instance* instance = instance_of(frame, node);                                                          \
        long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);                                   \
        if (GET(node, nowait)) {                                                                                       \
            FOR_EACH_SCHEDULE(T, ORDERED_BODY, ordered nowait)                                                         \
        } else {                                                                                                       \
            FOR_EACH_SCHEDULE(T, ORDERED_BODY, ordered)                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    static void function##_reducing(struct frame* frame, struct node* node) {                                          \
        struct instance* instance = instance_of(frame, node);                                                          \
        volatile long* sum = &instance->sum;                                                                           \
        long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);                                   \
        if (GET(node, nowait)) {                                                                                       \
            FOR_EACH_SCHEDULE(T, REDUCING_BODY, nowait reduction(+ : sum [0:1]))                                       \
        } else {                                                                                                       \
            FOR_EACH_SCHEDULE(T, REDUCING_BODY, reduction(+ : sum [0:1]))                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static void function##_cancelling(struct frame* frame, struct node* node) {                                        \
        long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);                                   \
        FOR_EACH_SCHEDULE(T, CANCELLING_BODY)                                                                          \
    }

DEFINE_LOOP(loop_long, long)
DEFINE_LOOP(loop_ull, unsigned long long)

// Tasks of its iterations reduce into the loop's variable.
static void loop_of_reducing_tasks(struct frame* frame, struct node* node) {
    struct instance* instance = instance_of(frame, node);
    volatile long *sum = &instance->sum, *outer = frame->reduction;
    atomic_long* outer_contributions = frame->contributions;
    long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);
    frame->reduction = sum;
    frame->contributions = &instance->contributions;
    FOR_EACH_SCHEDULE(long, PLAIN_BODY, reduction(task, + : sum [0:1]))
    frame->reduction = outer;
    frame->contributions = outer_contributions;
}

static void collapsed_loop(struct frame* frame, struct node* node) {
    long rows = GET(node, n) / 4, chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);
    if (GET(node, schedule) == STATIC) {
#pragma omp for collapse(2) schedule(static)
        for (long i = 0; i < rows; i++) {
            for (int j = 0; j < 4; j++)
                run_iteration(frame, node, i * 4 + j);
        }
    } else {
#pragma omp for collapse(2) schedule(dynamic, chunk)
        for (long i = 0; i < rows; i++) {
            for (int j = 0; j < 4; j++)
                run_iteration(frame, node, i * 4 + j);
        }
    }
}

static const omp_sched_t runtime_schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto,
                                                (omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic)};

enum loop_type { LONG, ULL, COLLAPSED };

static void run_loop(struct frame* frame, struct node* node) {
    if (GET(node, schedule) == RUNTIME) {
        omp_set_schedule(runtime_schedules[GET(node, how) % 5], (int)GET(node, chunk));
    }
    bool ull = GET(node, type) == ULL;
    if (GET(node, cancel)) {
        (ull ? loop_ull_cancelling : loop_long_cancelling)(frame, node);
    } else if (GET(node, ordered)) {
        (ull ? loop_ull_ordered : loop_long_ordered)(frame, node);
    } else if (GET(node, reduce) == 2) {
        loop_of_reducing_tasks(frame, node);
    } else if (GET(node, reduce)) {
        (ull ? loop_ull_reducing : loop_long_reducing)(frame, node);
    } else if (GET(node, type) == COLLAPSED) {
        collapsed_loop(frame, node);
    } else {
        (ull ? loop_ull : loop_long)(frame, node);
    }
    bool special = GET(node, ordered) || GET(node, reduce) == 1;
    bool collapsed = GET(node, type) == COLLAPSED && !special;
    bool waits = !GET(node, nowait) || GET(node, cancel) || GET(node, reduce) == 2 || collapsed;
    if (waits) passed_barrier(frame);
}

static void run_before_sink(struct frame* frame, struct node* node, long i) {
    count_iteration(node, i);
    if (GET(node, ordered) != 2) run_children(node, frame);
}

static void run_behind_sink(struct frame* frame, struct node* node, struct instance* one, long i, long distance) {
    if (i >= distance && one->done[i - distance] == 0) {
        FAIL(node, "iteration %ld goes on before %ld", i, i - distance);
    }
    if (GET(node, ordered) == 2) run_children(node, frame);
    one->done[i] = 1;
}

#define DOACROSS_BODY                                                                                                  \
    {                                                                                                                  \
        run_before_sink(frame, node, i);                                                                               \
        PRAGMA(omp ordered depend(sink : i - 1))                                                                       \
        run_behind_sink(frame, node, one, i, 1);                                                                       \
        PRAGMA(omp ordered depend(source))                                                                             \
    }
#define DISTANT_BODY                                                                                                   \
    {                                                                                                                  \
        run_before_sink(frame, node, i);                                                                               \
        PRAGMA(omp ordered depend(sink : i - 3))                                                                       \
        run_behind_sink(frame, node, one, i, 3);                                                                       \
        PRAGMA(omp ordered depend(source))                                                                             \
    }

static void run_doacross(struct frame* frame, struct node* node) {
    struct instance* one = instance_of(frame, node);
    long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);
    if (GET(node, schedule) == RUNTIME) {
        omp_set_schedule(runtime_schedules[GET(node, how) % 5], (int)GET(node, chunk));
    }
    if (GET(node, depth) == 3) {
        FOR_EACH_SCHEDULE(long, DISTANT_BODY, ordered(1))
    } else {
        FOR_EACH_SCHEDULE(long, DOACROSS_BODY, ordered(1))
    }
    passed_barrier(frame);
}

static void run_section(struct frame* frame, struct node* node, int which) {
    count(node);
    run_children(node->children[which], frame);
    count(node->children[which]);
}

#define SECTION(which)                                                                                                 \
    PRAGMA(omp section)                                                                                                \
    if (which < node->child_count) run_section(frame, node, which);

static void run_sections(struct frame* frame, struct node* node) {
    if (GET(node, nowait)) {
#pragma omp sections nowait
        {
            SECTION(0) SECTION(1) SECTION(2) SECTION(3)
        }
        return;
    }
#pragma omp sections
    {SECTION(0) SECTION(1) SECTION(2) SECTION(3)} passed_barrier(frame);
}

static void run_single(struct frame* frame, struct node* node) {
    if (GET(node, nowait)) {
#pragma omp single nowait
        {
            count(node);
            run_children(node, frame);
        }
        return;
    }
#pragma omp single
    {
        count(node);
        run_children(node, frame);
    }
    passed_barrier(frame);
}

static void run_filtered(struct frame* frame, struct node* node) {
    if (node->kind == KIND_master) {
#pragma omp master
        {
            count(node);
            run_children(node, frame);
        }
        return;
    }
#pragma omp masked filter(GET(node, n))
    {
        count(node);
        run_children(node, frame);
    }
}

#endif
