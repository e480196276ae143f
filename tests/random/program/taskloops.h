// SPDX-License-Identifier: Apache-2.0
//
// Taskloops. Each iteration has a frame of its own, as a child of the task that met the construct;
// how the runtime groups iterations into tasks does not matter. Iterations use a copy of the values
// that this task's frame had when the task met the construct, because without a group they may run
// later.
#ifndef RANDOM_TASKLOOPS_H
#define RANDOM_TASKLOOPS_H

#include "tasks.h"

struct taskloop {
    struct frame* parent;
    struct node* node;
    struct group* group; // its own, or the one around it
    bool final, loose;
    unsigned barriers;
    volatile long* reduction;
    atomic_long* contributions;
};

static void run_taskloop_iteration(const struct taskloop* loop, long iteration) {
    struct node* node = loop->node;
    struct frame* frame = calloc(1, sizeof *frame);
    frame->node = node;
    frame->parent = loop->parent;
    frame->team = loop->parent->team;
    frame->group = loop->group;
    frame->references = 1;
    frame->unsettled = 1;
    frame->thread = GET(node, untied) ? UNTIED : omp_get_thread_num();
    frame->final = loop->final;
    frame->loose = loop->loose;
    frame->counted = !loop->loose;
    frame->barriers = loop->barriers;
    frame->reduction = loop->reduction;
    frame->contributions = loop->contributions;
    if (!lean && omp_in_final() != frame->final) {
        FAIL(node, "omp_in_final() is %d", omp_in_final());
    }
    count_iteration(node, iteration);
    run_children(node, frame);
    check_thread(frame);
    settle(frame);
}

// All its iterations become outstanding at once, as its tasks may begin before all are made.
static void account_iterations(struct frame* parent, struct group* group, long n) {
    if (lean) return;
    parent->references += (int)n;
    if (parent->loose) return;
    parent->children += n;
    if (group != NULL) group->outstanding += n;
    *team_count(parent) += n;
}

#define TASKLOOP(...)                                                                                                  \
    do {                                                                                                               \
        PRAGMA(omp taskloop __VA_ARGS__)                                                                               \
        for (long i = 0; i < n; i++)                                                                                   \
            run_taskloop_iteration(&loop, i);                                                                          \
    } while (0)

// `loop` is copied into the tasks: without a group they outlive the construct.
#define CLAUSES firstprivate(loop) FLAGS

#define BY_SIZE(...)                                                                                                   \
    do {                                                                                                               \
        if (GET(node, grain) != 0) {                                                                                   \
            TASKLOOP(grainsize(grain) CLAUSES __VA_ARGS__);                                                            \
        } else if (GET(node, tasks) != 0) {                                                                            \
            TASKLOOP(num_tasks(tasks) CLAUSES __VA_ARGS__);                                                            \
        } else if (plain) {                                                                                            \
            TASKLOOP(firstprivate(loop) __VA_ARGS__);                                                                  \
        } else {                                                                                                       \
            TASKLOOP(CLAUSES __VA_ARGS__);                                                                             \
        }                                                                                                              \
    } while (0)

#define DEFINE_TASKLOOP(function, tie)                                                                                 \
    static void function(struct taskloop loop) {                                                                       \
        struct node* node = loop.node;                                                                                 \
        long n = GET(node, n), grain = GET(node, grain), tasks = GET(node, tasks);                                     \
        bool undeferred = GET(node, undeferred) != 0, is_final = GET(node, final) != 0;                                \
        int urgency = (int)GET(node, priority);                                                                        \
        bool plain = !undeferred && !is_final && urgency == 0;                                                         \
        if (GET(node, nogroup)) {                                                                                      \
            BY_SIZE(nogroup tie);                                                                                      \
        } else if (GET(node, mergeable)) {                                                                             \
            BY_SIZE(mergeable tie);                                                                                    \
        } else {                                                                                                       \
            BY_SIZE(tie);                                                                                              \
        }                                                                                                              \
    }

DEFINE_TASKLOOP(taskloop_tied, )
DEFINE_TASKLOOP(taskloop_untied, untied)

static void reducing_taskloop(struct taskloop loop) {
    struct node* node = loop.node;
    long n = GET(node, n), grain = GET(node, grain) == 0 ? 1 : GET(node, grain);
    long sum = 0;
#pragma omp taskloop grainsize(grain) firstprivate(loop) reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        sum += i;
        run_taskloop_iteration(&loop, i);
    }
    check_sum(loop.parent, node, sum, n * (n - 1) / 2);
}

static void run_taskloop(struct frame* parent, struct node* node) {
    struct group group = {0};
    bool own_group = !GET(node, nogroup) || GET(node, reduce);
    struct taskloop loop = {.parent = parent,
                            .node = node,
                            .group = own_group ? &group : parent->group,
                            .final = parent->final || (GET(node, final) && !GET(node, reduce)),
                            .loose = parent->loose,
                            .barriers = parent->barriers,
                            .reduction = parent->reduction,
                            .contributions = parent->contributions};
    account_iterations(parent, loop.group, GET(node, n));
    if (GET(node, reduce)) {
        reducing_taskloop(loop);
    } else {
        (GET(node, untied) ? taskloop_untied : taskloop_tied)(loop);
    }
    if (own_group) check_group(parent, node, &group);
}

#endif
