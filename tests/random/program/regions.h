// SPDX-License-Identifier: Apache-2.0
//
// Parallel regions, and what surrounds them: threads that OpenMP does not know, and forks.
//
// The state of a team is on the stack of the task that meets the region. Each implicit task has a
// frame.
#ifndef RANDOM_REGIONS_H
#define RANDOM_REGIONS_H

#include <sys/wait.h>

#include "loops.h"

enum { MOST_LEVELS = 8 };

static struct frame* implicit_frame(struct node* node, struct team* team, bool loose) {
    struct frame* frame = calloc(1, sizeof *frame);
    frame->node = node;
    frame->team = team;
    frame->references = 1;
    frame->thread = omp_get_thread_num();
    frame->loose = loose;
    if (omp_get_num_threads() != team->size) {
        FAIL(node, "a team of %d threads, not %ld", omp_get_num_threads(), team->size);
    }
    return frame;
}

static void begin_team(struct team* team, long size) {
    memset(team, 0, sizeof *team);
    team->size = size;
    pthread_mutex_init(&team->lock, NULL);
}

static void end_team(struct frame* around, struct node* node, struct team* team) {
    for (int i = 0; i < BARRIERS; i++) {
        if (lean || GET(node, cancel) || team->outstanding[i] == 0) continue;
        FAIL(node, "%ld tasks are not complete after the region", team->outstanding[i]);
    }
    end_instances(around, team);
    pthread_mutex_destroy(&team->lock);
}

static void run_implicit(struct node* node, struct team* team) {
    struct frame* frame = implicit_frame(node, team, false);
    count(node);
    run_children(node, frame);
    check_thread(frame);
    drop(frame);
}

static void run_reducing_region(struct frame* around, struct node* node, struct team* team) {
    volatile long sum = 0, *original = &sum;
#pragma omp parallel num_threads(team->size) reduction(task, + : sum)
    {
        struct frame* frame = implicit_frame(node, team, false);
        frame->reduction = original;
        frame->contributions = &team->contributions;
        sum++;
        team->contributions++;
        count(node);
        run_children(node, frame);
        drop(frame);
    }
    check_sum(around, node, sum, team->contributions);
}

// The first half of its children comes before some thread cancels the region.
static void run_cancelled_region(struct node* node, struct team* team) {
#pragma omp parallel num_threads(team->size)
    {
        struct frame* frame = implicit_frame(node, team, true);
        count(node);
        int half = node->child_count / 2;
        for (int i = 0; i < half; i++)
            run_node(node->children[i], frame);
#pragma omp cancellation point parallel
        if (omp_get_thread_num() == (GET(node, cancel) - 1) % team->size) {
#pragma omp cancel parallel
        }
        for (int i = half; i < node->child_count; i++)
            run_node(node->children[i], frame);
    }
}

static void run_region(struct frame* around, struct node* node) {
    struct team team;
    bool serial = GET(node, serial) != 0;
    int before = omp_get_max_threads();
    long size = GET(node, size) == 0 ? before : GET(node, size);
    begin_team(&team, serial ? 1 : size);
    if (GET(node, icv)) omp_set_num_threads((int)size);
    if (GET(node, cancel)) {
        run_cancelled_region(node, &team);
    } else if (GET(node, reduce)) {
        run_reducing_region(around, node, &team);
    } else if (serial) {
#pragma omp parallel num_threads(size) if (!serial)
        run_implicit(node, &team);
    } else if (GET(node, icv) || GET(node, size) == 0) {
#pragma omp parallel
        run_implicit(node, &team);
    } else {
#pragma omp parallel num_threads(size)
        run_implicit(node, &team);
    }
    if (GET(node, icv)) omp_set_num_threads(before);
    end_team(around, node, &team);
}

static void run_parfor_iteration(struct node* node, struct team* team, long i) {
    struct frame* frame = implicit_frame(node, team, false);
    run_iteration(frame, node, i);
    drop(frame);
}

#define PARFOR(...)                                                                                                    \
    do {                                                                                                               \
        PRAGMA(omp parallel for num_threads(size) __VA_ARGS__)                                                         \
        for (long i = 0; i < n; i++)                                                                                   \
            run_parfor_iteration(node, &team, i);                                                                      \
    } while (0)

// Compilers make one call of a combined construct only where its bounds are constants.
enum { CONSTANT_ITERATIONS = 48, CONSTANT_CHUNK = 3 };
#define CONSTANT_PARFOR(...)                                                                                           \
    do {                                                                                                               \
        PRAGMA(omp parallel for num_threads(size) __VA_ARGS__)                                                         \
        for (int i = 0; i < CONSTANT_ITERATIONS; i++)                                                                  \
            run_parfor_iteration(node, team, i);                                                                       \
    } while (0)

static bool has_constants(const struct node* node) {
    return GET(node, type) == 1 && GET(node, n) == CONSTANT_ITERATIONS && GET(node, chunk) == CONSTANT_CHUNK;
}

static void run_constant_parfor(struct node* node, struct team* team, long size) {
    switch ((enum schedule)GET(node, schedule)) {
    case STATIC:
        CONSTANT_PARFOR(schedule(static));
        break;
    case STATIC_CHUNK:
        CONSTANT_PARFOR(schedule(static, 3));
        break;
    case DYNAMIC:
        CONSTANT_PARFOR(schedule(dynamic, 3));
        break;
    case GUIDED:
        CONSTANT_PARFOR(schedule(guided, 3));
        break;
    case RUNTIME:
        CONSTANT_PARFOR(schedule(runtime));
        break;
    case AUTO:
        CONSTANT_PARFOR(schedule(auto));
        break;
    case MONOTONIC:
        CONSTANT_PARFOR(schedule(monotonic : dynamic, 3));
        break;
    default:
        CONSTANT_PARFOR(schedule(nonmonotonic : guided, 3));
    }
}

static void run_parfor(struct frame* around, struct node* node) {
    struct team team;
    long n = GET(node, n), chunk = GET(node, chunk) == 0 ? 1 : GET(node, chunk);
    long size = GET(node, size) == 0 ? omp_get_max_threads() : GET(node, size);
    begin_team(&team, size);
    if (GET(node, schedule) == RUNTIME) {
        omp_set_schedule(runtime_schedules[GET(node, how) % 5], (int)GET(node, chunk));
    }
    if (has_constants(node)) {
        run_constant_parfor(node, &team, size);
        end_team(around, node, &team);
        return;
    }
    switch ((enum schedule)GET(node, schedule)) {
    case STATIC:
        PARFOR(schedule(static));
        break;
    case STATIC_CHUNK:
        PARFOR(schedule(static, chunk));
        break;
    case DYNAMIC:
        PARFOR(schedule(dynamic, chunk));
        break;
    case GUIDED:
        PARFOR(schedule(guided, chunk));
        break;
    case RUNTIME:
        PARFOR(schedule(runtime));
        break;
    case AUTO:
        PARFOR(schedule(auto));
        break;
    case MONOTONIC:
        PARFOR(schedule(monotonic : dynamic, chunk));
        break;
    default:
        PARFOR(schedule(nonmonotonic : dynamic, chunk));
    }
    end_team(around, node, &team);
}

// ---- outside all regions ----

// The initial task of the process, or of a thread that OpenMP meets for the first time.
static void run_initial(struct node* node) {
    struct team team;
    omp_set_dynamic(0);
    omp_set_max_active_levels(MOST_LEVELS);
    begin_team(&team, 1);
    struct frame* frame = implicit_frame(node, &team, false);
    run_children(node, frame);
    drop(frame);
    end_team(frame, node, &team);
}

static void* run_thread(void* argument) {
    count(argument);
    run_initial(argument);
    return NULL;
}

static void run_threads(struct node* node) {
    enum { MOST = 8 };
    pthread_t threads[MOST];
    long n = GET(node, n) < MOST ? GET(node, n) : MOST;
    for (long i = 0; i < n; i++) {
        if (pthread_create(&threads[i], NULL, run_thread, node) != 0) abort();
    }
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

static void run_fork(struct node* node) {
    count(node);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        long share = node->times;
        for (int i = 0; i < node->child_count; i++)
            clear_counts(node->children[i]);
        run_initial(node);
        for (int i = 0; i < node->child_count; i++)
            check_counts(node->children[i], share);
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
        FAIL(node, "the child of fork ended with %#x", (unsigned)status);
    }
}

#endif
