// SPDX-License-Identifier: Apache-2.0
//
// Tasks of all kinds. The attributes of a node select one of the directives that are written out
// here.
//
// One form of each directive has no clauses, and the others have the clauses that occur together.
// Leaving out a clause needs a form of its own, because the compiler and the runtime handle this
// differently from a clause whose value changes nothing.
#ifndef RANDOM_TASKS_H
#define RANDOM_TASKS_H

#include "events.h"
#include "frame.h"

#define AS_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define PRAGMA(...) AS_PRAGMA(__VA_ARGS__)

static void run_node(struct node* node, struct frame* frame);
static void run_children(struct node* node, struct frame* frame);

// ---- what a task does ----

static void spawn_tree(struct frame* parent, struct node* node, int depth);

enum waiting_for { WAIT_NOT, WAIT_CHILDREN, WAIT_GROUP };

static void spawn_branches(struct frame* frame, struct node* node) {
    for (long i = 0; i < GET(node, fan); i++)
        spawn_tree(frame, node, frame->depth - 1);
    if (GET(node, yield)) {
#pragma omp taskyield
    }
}

static void grow_tree(struct frame* frame, struct node* node) {
    if (frame->depth == 0) return;
    if (GET(node, wait) == WAIT_GROUP) {
        struct group group = {0}, *outer = frame->group;
        frame->group = &group;
#pragma omp taskgroup
        spawn_branches(frame, node);
        frame->group = outer;
        check_group(frame, node, &group);
        return;
    }
    spawn_branches(frame, node);
    if (GET(node, wait) == WAIT_CHILDREN) {
#pragma omp taskwait
        check_children(frame, "taskwait");
    }
}

static void run_task(struct frame* frame) {
    struct node* node = frame->node;
    if (!lean && omp_in_final() != frame->final) {
        FAIL(node, "omp_in_final() is %d", omp_in_final());
    }
    check_depended(frame);
    if (!frame->untied) frame->thread = omp_get_thread_num();
    count(node);
    run_children(node, frame);
    if (node->kind == KIND_tree) grow_tree(frame, node);
    check_thread(frame);
    settle(frame);
}

enum { BYTES = 512 };
struct payload {
    unsigned char bytes[BYTES];
};

static void run_with_payload(struct frame* frame, const struct payload* payload) {
    for (int i = 0; i < BYTES; i++) {
        if (payload->bytes[i] != (unsigned char)(i * frame->node->id)) {
            FAIL(frame->node, "byte %d of its own copy is wrong", i);
        }
    }
    run_task(frame);
}

static void run_reducing(struct frame* frame, volatile long* mine) {
    ++*mine;
    run_task(frame);
    ++*mine;
}

// ---- its dependences, as the directives take them ----

static struct cell unused_cell;

struct clauses {
    int counts[DEPENDENCES], objects;
    struct cell* cells[DEPENDENCES][CELLS];
    omp_depend_t object[CELLS];
};

// GCC 12 does not know the kind inoutset: its code says it in a depend object. The code of Clang 19
// for depend clauses with several iterators crashes: it gets an object for each dependence, and
// for each cell that has none, one that depends on nothing.
#ifdef __clang__
enum { ONLY_OBJECTS = true };
#define NAME_SET(object, cell) PRAGMA(omp depobj(object) depend(inoutset : cell))
#else
enum { ONLY_OBJECTS = false };
#define NAME_SET(object, cell)                                                                                         \
    PRAGMA(omp depobj(object) depend(inout : cell))                                                                    \
    name_set(&(object))

static void name_set(omp_depend_t* object) {
    enum { FIELD_KIND = 1, INOUTSET = 5 };
    uintptr_t words[2];
    memcpy(words, object, sizeof words);
    words[FIELD_KIND] = INOUTSET;
    memcpy(object, words, sizeof words);
}
#endif

static void make_object(omp_depend_t* object, struct cell* cell, enum dependence kind) {
    switch (kind) {
    case IN: {
#pragma omp depobj(*object) depend(in : *cell)
        break;
    }
    case OUT: {
#pragma omp depobj(*object) depend(out : *cell)
        break;
    }
    case MUTEX: {
#pragma omp depobj(*object) depend(mutexinoutset : *cell)
        break;
    }
    case SET: {
        NAME_SET(*object, *cell);
        break;
    }
    default: {
#pragma omp depobj(*object) depend(inout : *cell)
    }
    }
}

static void find_clauses(struct clauses* clauses, struct frame* parent, const struct node* node) {
    memset(clauses->counts, 0, sizeof clauses->counts);
    clauses->objects = 0;
    for (int kind = 0; kind < DEPENDENCES; kind++) {
        long mask = cells_of(node, (enum dependence)kind);
        for (int i = 0; i < CELLS; i++) {
            if ((mask >> i & 1) == 0) continue;
            struct cell* cell = &cells_for(parent)[i];
            if (kind == SET || GET(node, depobj) || ONLY_OBJECTS) {
                make_object(&clauses->object[clauses->objects++], cell, (enum dependence)kind);
            } else {
                clauses->cells[kind][clauses->counts[kind]++] = cell;
            }
        }
    }
    while (ONLY_OBJECTS && clauses->objects < CELLS)
        make_object(&clauses->object[clauses->objects++], &unused_cell, IN);
}

static void end_clauses(struct clauses* clauses) {
    for (int i = 0; i < clauses->objects; i++) {
#pragma omp depobj(clauses->object[i]) destroy
    }
}

#ifdef __clang__
#define OBJECT(i) depend(depobj : clauses.object[i])
#define DEPENDS OBJECT(0) OBJECT(1) OBJECT(2) OBJECT(3) OBJECT(4) OBJECT(5) OBJECT(6) OBJECT(7)
#define DEPENDS_BY_OBJECT
#define WAITED_FOR DEPENDS
_Static_assert(CELLS == 8, "as many objects as DEPENDS has");
#else
#define OF_KIND(kind, KIND) depend(iterator(int i = 0 : clauses.counts[KIND]), kind : *clauses.cells[KIND][i])
#define DEPENDS OF_KIND(in, IN) OF_KIND(out, OUT) OF_KIND(inout, INOUT) OF_KIND(mutexinoutset, MUTEX)
#define DEPENDS_BY_OBJECT depend(iterator(int j = 0 : clauses.objects), depobj : clauses.object[j])
#define WAITED_FOR OF_KIND(in, IN) OF_KIND(out, OUT) OF_KIND(inout, INOUT)
#endif

// Clang 19 passes no address for an array section in the clause in_reduction: its tasks have none.
#ifdef __clang__
enum { TASKS_REDUCE = false };
#define IN_REDUCTION
#else
enum { TASKS_REDUCE = true };
#define IN_REDUCTION in_reduction(+ : sum [0:1])
#endif

// ---- the directives ----

enum form { PLAIN, FLAGGED, MERGEABLE, DEPENDENT, BY_OBJECT, DETACHED, PAYLOAD, REDUCING, CANCELLING };

static enum form form_of(const struct frame* parent, const struct node* node) {
    if (GET(node, cancel)) return CANCELLING;
    if (TASKS_REDUCE && GET(node, reduce) && parent->reduction != NULL) return REDUCING;
    // Nobody may fulfil the event of a task that is discarded, or wait for one within a final task.
    if (GET(node, detach) && !parent->loose && !parent->final && !GET(node, final)) return DETACHED;
    if (GET(node, bytes)) return PAYLOAD;
    if (has_dependences(node)) {
        return GET(node, depobj) || GET(node, set) ? BY_OBJECT : DEPENDENT;
    }
    if (GET(node, mergeable)) return MERGEABLE;
    bool flags = GET(node, final) || GET(node, undeferred) || GET(node, priority);
    return flags ? FLAGGED : PLAIN;
}

// What one creation of a task is about.
struct creation {
    struct frame *parent, *child;
    struct node* node;
    enum form form;
    bool undeferred, final, untied;
};

#define FLAGS                                                                                                          \
    if (!undeferred) final(is_final) priority(urgency)

// One function for tied tasks and one for untied: the clause cannot be computed.
#define DEFINE_CREATE(function, tie)                                                                                   \
    static void function(const struct creation* creation) {                                                            \
        struct frame* child = creation->child;                                                                         \
        struct node* node = creation->node;                                                                            \
        bool undeferred = creation->undeferred, is_final = creation->final;                                            \
        int urgency = (int)GET(node, priority);                                                                        \
        switch (creation->form) {                                                                                      \
        case PLAIN: {                                                                                                  \
            PRAGMA(omp task tie firstprivate(child))                                                                   \
            run_task(child);                                                                                           \
            break;                                                                                                     \
        }                                                                                                              \
        case FLAGGED: {                                                                                                \
            PRAGMA(omp task tie firstprivate(child) FLAGS)                                                             \
            run_task(child);                                                                                           \
            break;                                                                                                     \
        }                                                                                                              \
        case MERGEABLE: {                                                                                              \
            PRAGMA(omp task tie mergeable firstprivate(child) FLAGS)                                                   \
            run_task(child);                                                                                           \
            break;                                                                                                     \
        }                                                                                                              \
        case DEPENDENT: {                                                                                              \
            struct clauses clauses;                                                                                    \
            find_clauses(&clauses, creation->parent, node);                                                            \
            PRAGMA(omp task tie firstprivate(child) FLAGS DEPENDS)                                                     \
            run_task(child);                                                                                           \
            break;                                                                                                     \
        }                                                                                                              \
        case BY_OBJECT: {                                                                                              \
            struct clauses clauses;                                                                                    \
            find_clauses(&clauses, creation->parent, node);                                                            \
            PRAGMA(omp task tie firstprivate(child) FLAGS DEPENDS DEPENDS_BY_OBJECT)                                   \
            run_task(child);                                                                                           \
            end_clauses(&clauses);                                                                                     \
            break;                                                                                                     \
        }                                                                                                              \
        case DETACHED: {                                                                                               \
            struct clauses clauses;                                                                                    \
            find_clauses(&clauses, creation->parent, node);                                                            \
            omp_event_handle_t event = 0;                                                                              \
            child->unsettled = 2;                                                                                      \
            long by = undeferred && GET(node, detach) == BY_SIBLING ? BY_BODY : GET(node, detach);                     \
            PRAGMA(omp task tie detach(event) firstprivate(child, by) if (!undeferred) priority(urgency)               \
                       DEPENDS DEPENDS_BY_OBJECT)                                                                      \
            run_detached(child, by, event);                                                                            \
            if (by == BY_SIBLING) {                                                                                    \
                PRAGMA(omp task firstprivate(child, event))                                                            \
                fulfil(child, event);                                                                                  \
            }                                                                                                          \
            end_clauses(&clauses);                                                                                     \
            break;                                                                                                     \
        }                                                                                                              \
        case PAYLOAD: {                                                                                                \
            struct payload payload;                                                                                    \
            for (int i = 0; i < BYTES; i++)                                                                            \
                payload.bytes[i] = (unsigned char)(i * node->id);                                                      \
            PRAGMA(omp task tie firstprivate(child, payload) FLAGS)                                                    \
            run_with_payload(child, &payload);                                                                         \
            break;                                                                                                     \
        }                                                                                                              \
        case REDUCING: {                                                                                               \
            volatile long* sum = child->reduction;                                                                     \
            PRAGMA(omp task tie firstprivate(child) IN_REDUCTION FLAGS)                                                \
            run_reducing(child, &sum[0]);                                                                              \
            break;                                                                                                     \
        }                                                                                                              \
        case CANCELLING: {                                                                                             \
            PRAGMA(omp task tie firstprivate(child) FLAGS) {                                                           \
                bool cancels = child->loose && child->group != NULL;                                                   \
                run_task(child);                                                                                       \
                if (cancels) {                                                                                         \
                    PRAGMA(omp cancel taskgroup)                                                                       \
                }                                                                                                      \
            }                                                                                                          \
            break;                                                                                                     \
        }                                                                                                              \
        }                                                                                                              \
    }

static void run_detached(struct frame* frame, long by, omp_event_handle_t event) {
    if (by == BY_BODY) fulfil(frame, event);
    if (by == BY_THREAD) fulfil_elsewhere(frame, event);
    if (by == BY_CHILD) {
#pragma omp task firstprivate(frame, event)
        fulfil(frame, event);
    }
    run_task(frame);
}

DEFINE_CREATE(create_tied, )
DEFINE_CREATE(create_untied, untied)

static void create(struct creation* creation) {
    struct frame *parent = creation->parent, *child = creation->child;
    struct node* node = creation->node;
    bool included = creation->undeferred || parent->final;
    child->final |= creation->final;
    // Its frame must not be looked at afterwards, but where the creator has a share of it.
    if (creation->form == REDUCING) *child->contributions += 2;
    if (creation->form != PAYLOAD && creation->form != REDUCING && creation->form != CANCELLING) {
        join_generations(parent, child, node);
    }
    child->untied = creation->untied;
    (creation->untied ? create_untied : create_tied)(creation);
    if (lean) return;
    if (included && !child->loose && !child->done) {
        FAIL(node, "a task that is not deferred has not ended behind its construct");
    }
    drop(child);
}

static void spawn(struct frame* parent, struct node* node) {
    struct creation creation = {.parent = parent,
                                .child = new_child(parent, node),
                                .node = node,
                                .form = form_of(parent, node),
                                .undeferred = GET(node, undeferred) != 0,
                                .untied = GET(node, untied) != 0,
                                .final = GET(node, final) != 0};
    create(&creation);
}

// In a tree, the attributes `undeferred` and `final` say in how many levels, counted from the
// leaves, the clause holds. If the attribute `untied` is 2, every other level is untied.
static void spawn_tree(struct frame* parent, struct node* node, int depth) {
    struct creation creation = {.parent = parent,
                                .child = new_child(parent, node),
                                .node = node,
                                .form = form_of(parent, node),
                                .undeferred = depth < GET(node, undeferred),
                                .untied = GET(node, untied) == 2 ? depth % 2 : GET(node, untied),
                                .final = depth < GET(node, final)};
    creation.child->depth = depth;
    create(&creation);
}

// ---- waiting ----

static void wait_for_dependences(struct frame* frame, struct node* node) {
    struct frame* none = calloc(1, sizeof *none);
    struct clauses clauses;
    none->node = node;
    none->references = 1;
    join_generations(frame, none, node);
    find_clauses(&clauses, frame, node);
    PRAGMA(omp taskwait WAITED_FOR)
    end_clauses(&clauses);
    check_depended(none);
    leave_depended(none);
    drop(none);
}

static void wait_for_children(struct frame* frame, struct node* node) {
    count(node);
    if (has_dependences(node)) {
        wait_for_dependences(frame, node);
        return;
    }
#pragma omp taskwait
    check_children(frame, "taskwait");
}

static void run_group(struct frame* frame, struct node* node) {
    struct group group = {0}, *outer = frame->group;
    bool was_loose = frame->loose;
    count(node);
    frame->group = &group;
    frame->loose |= GET(node, cancel) != 0;
    if (GET(node, reduce)) {
        volatile long* outer_reduction = frame->reduction;
        atomic_long* outer_contributions = frame->contributions;
        volatile long sum = 0;
        frame->reduction = &sum;
        frame->contributions = &group.contributions;
#pragma omp taskgroup task_reduction(+ : sum)
        run_children(node, frame);
        check_sum(frame, node, sum, group.contributions);
        frame->reduction = outer_reduction;
        frame->contributions = outer_contributions;
    } else {
#pragma omp taskgroup
        run_children(node, frame);
    }
    frame->group = outer;
    check_group(frame, node, &group);
    frame->loose = was_loose;
}

#endif
