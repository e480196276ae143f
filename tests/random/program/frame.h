// SPDX-License-Identifier: Apache-2.0
//
// The state with which the program checks the guarantees of OpenMP: a frame for each task region, a
// group for each taskgroup, and a team for each parallel region.
//
// A frame counts its incomplete children; a group and a team count all incomplete tasks in them. A
// count falls as the last act of a task's body, so the count must be 0 after the wait for these
// tasks. A team uses several counts in turn, because tasks that are created before a barrier must
// be counted apart from those created after it.
//
// Dependences: the tasks that name one cell form generations. The members of a generation may run
// in any order (all readers, all tasks of one mutexinoutset, or a single writer). When a task
// starts, the generation before its own must have ended. Only the task that creates the children
// numbers the generations.
//
// Frames are on the heap, because a task may outlive its parent. A frame is freed when the task,
// its children and its creator no longer need it. Groups and teams are on the stack of the task
// that waits.
//
// Where a construct is cancelled, some tasks may never run. The frames below such a construct are
// `loose` and are not checked. Programs that measure time are `lean`: they keep only the counters
// of the nodes.
#ifndef RANDOM_FRAME_H
#define RANDOM_FRAME_H

#include <pthread.h>

#include "tree.h"

enum { CELLS = 8, BARRIERS = 4, UNTIED = -1 };
enum dependence { IN, OUT, INOUT, MUTEX, SET, DEPENDENCES };

struct generation {
    struct generation *before, *older; // the one that this waits for; next in the frame's list
    atomic_long remaining;
};

struct cell {
    enum dependence kind;
    struct generation* now;
    atomic_int inside; // whether a task of a mutexinoutset is
};

struct depended {
    struct cell* cell;
    struct generation* generation;
    enum dependence kind;
};

struct group {
    atomic_long outstanding, contributions;
};

// State that the threads of a team share for one of their loops.
struct instance {
    struct instance* older;
    struct node* node;
    long number, expected;
    atomic_long next; // iteration of an ordered loop
    volatile long sum;
    atomic_long contributions;
    atomic_char* done; // iterations of a doacross loop
};

struct team {
    atomic_long outstanding[BARRIERS];
    atomic_long contributions;
    pthread_mutex_t lock;
    struct instance* instances; // under the lock
    long size;
};

struct frame {
    struct node* node;
    struct frame* parent; // NULL for implicit tasks
    struct team* team;
    struct group* group; // the innermost taskgroup around what the task does now
    atomic_int references, unsettled;
    atomic_bool done;
    atomic_long children;
    int thread; // that runs a tied task
    int depth;  // of a tree, to the leaves
    bool final, loose, untied;
    bool counted;               // among those that must be complete when a wait ends
    unsigned barriers;          // how many the implicit task has passed, or had when this was created
    long loops;                 // how many loops with an instance an implicit task has met
    volatile long* reduction;   // the original of what the task may reduce into
    atomic_long* contributions; // to it
    struct cell* cells;
    struct generation* generations;
    struct depended* depended;
    int depended_count;
};

static bool lean;

static void drop(struct frame* frame) {
    if (!lean && atomic_fetch_sub(&frame->references, 1) != 1) return;
    for (struct generation *one = frame->generations, *older; one != NULL; one = older) {
        older = one->older;
        free(one);
    }
    free(frame->cells);
    free(frame->depended);
    free(frame);
}

static atomic_long* team_count(struct frame* frame) { return &frame->team->outstanding[frame->barriers % BARRIERS]; }

// A child of `parent` that is about to be created.
static struct frame* new_child(struct frame* parent, struct node* node) {
    struct frame* child = calloc(1, sizeof *child);
    child->node = node;
    child->parent = parent;
    child->team = parent->team;
    child->group = parent->group;
    child->references = 2; // the task's and its creator's
    child->unsettled = 1;
    child->thread = UNTIED;
    child->final = parent->final;
    child->loose = parent->loose;
    child->barriers = parent->barriers;
    child->reduction = parent->reduction;
    child->contributions = parent->contributions;
    if (lean) return child;
    parent->references++;
    child->counted = !child->loose;
    if (!child->counted) return child;
    parent->children++;
    if (child->group != NULL) child->group->outstanding++;
    (*team_count(child))++;
    return child;
}

static void check_depended(struct frame* frame) {
    for (int i = 0; i < frame->depended_count; i++) {
        struct depended* one = &frame->depended[i];
        struct generation* before = one->generation->before;
        if (before != NULL && before->remaining != 0) {
            FAIL(frame->node, "started before %ld tasks that it depends on", before->remaining);
        }
        if (one->kind == MUTEX && atomic_exchange(&one->cell->inside, 1) != 0) {
            FAIL(frame->node, "runs beside another task of its mutexinoutset");
        }
    }
}

static void leave_depended(struct frame* frame) {
    for (int i = 0; i < frame->depended_count; i++) {
        struct depended* one = &frame->depended[i];
        if (one->kind == MUTEX) one->cell->inside = 0;
        one->generation->remaining--;
    }
}

// One of what a task's completion needs has come: the end of its body, or its event. The last one
// makes it count as complete, just before it is.
static void settle(struct frame* frame) {
    if (lean) {
        if (atomic_fetch_sub(&frame->unsettled, 1) == 1) drop(frame);
        return;
    }
    if (atomic_fetch_sub(&frame->unsettled, 1) != 1) return;
    struct frame* parent = frame->parent;
    leave_depended(frame);
    atomic_store(&frame->done, true);
    if (frame->counted) {
        if (frame->group != NULL) frame->group->outstanding--;
        (*team_count(frame))--;
        parent->children--;
    }
    drop(frame);
    drop(parent);
}

static void check_children(struct frame* frame, const char* after) {
    if (lean || frame->loose || frame->children == 0) return;
    FAIL(frame->node, "%ld children are not complete after %s", frame->children, after);
}

static void check_group(struct frame* frame, struct node* node, struct group* group) {
    if (lean || frame->loose || group->outstanding == 0) return;
    FAIL(node, "%ld tasks are not complete after the taskgroup", group->outstanding);
}

static void check_sum(struct frame* frame, struct node* node, long sum, long expected) {
    if (!frame->loose && sum != expected) FAIL(node, "reduced to %ld, not %ld", sum, expected);
}

// An implicit task has passed a barrier of its team.
static void passed_barrier(struct frame* frame) {
    long left = lean || frame->loose ? 0 : *team_count(frame);
    if (left != 0) FAIL(frame->node, "%ld tasks are not complete after a barrier", left);
    frame->barriers++;
}

static void check_thread(struct frame* frame) {
    if (frame->thread == UNTIED || lean || frame->thread == omp_get_thread_num()) return;
    FAIL(frame->node, "a tied task of thread %d goes on on thread %d", frame->thread, omp_get_thread_num());
}

// ---- dependences ----

static long cells_of(const struct node* node, enum dependence kind) {
    switch (kind) {
    case IN:
        return GET(node, in);
    case OUT:
        return GET(node, out);
    case INOUT:
        return GET(node, inout);
    case MUTEX:
        return GET(node, mutex);
    default:
        return GET(node, set);
    }
}

static bool has_dependences(const struct node* node) {
    long any = 0;
    for (int kind = 0; kind < DEPENDENCES; kind++)
        any |= cells_of(node, (enum dependence)kind);
    return any != 0;
}

static struct cell* cells_for(struct frame* parent) {
    if (parent->cells == NULL) parent->cells = calloc(CELLS, sizeof *parent->cells);
    return parent->cells;
}

static struct generation* join_generation(struct frame* parent, struct cell* cell, enum dependence kind) {
    bool alone = kind == OUT || kind == INOUT;
    if (cell->now == NULL || cell->kind != kind || alone) {
        struct generation* next = calloc(1, sizeof *next);
        next->before = cell->now;
        next->older = parent->generations;
        parent->generations = next;
        cell->now = next;
        cell->kind = kind;
    }
    cell->now->remaining++;
    return cell->now;
}

// Called by the parent, in the order in which it creates its children.
static void join_generations(struct frame* parent, struct frame* child, const struct node* node) {
    if (lean || parent->loose || !has_dependences(node)) return;
    child->depended = calloc(CELLS, sizeof *child->depended);
    for (int kind = 0; kind < DEPENDENCES; kind++) {
        long mask = cells_of(node, (enum dependence)kind);
        for (int i = 0; i < CELLS; i++) {
            if ((mask >> i & 1) == 0) continue;
            struct cell* cell = &cells_for(parent)[i];
            child->depended[child->depended_count++] =
                (struct depended){cell, join_generation(parent, cell, (enum dependence)kind), (enum dependence)kind};
        }
    }
}

#endif
