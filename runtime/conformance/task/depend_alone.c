// SPDX-License-Identifier: Apache-2.0
//
// Tests dependent tasks of a team of one, among them many small tasks of the same function. A
// runtime may run such tasks when they are created. They keep the semantics of deferred tasks: they
// wait for predecessors that have not finished, they may create tasks to any depth, and the
// routines that a task calls about itself give the same answers.
#include "check.h"

#include <omp.h>

enum { kLeaves = 1000, kDeep = 50000, kRounds = 20 };

static int done;

// The same function for all: a leaf if `left` is 0.
static void descend(int left) {
#pragma omp task depend(inout : done) firstprivate(left)
    {
        done++;
        CHECK_EQ(omp_in_final(), 0);
        if (left > 0) descend(left - 1);
    }
}

static void leaves(void) {
    for (int i = 0; i < kLeaves; i++)
        descend(0);
#pragma omp taskwait
}

// A chain of tasks each of which creates the next: its stack must not grow with it.
static void deep(void) {
    done = 0;
    leaves();
    CHECK_EQ(done, kLeaves);
#pragma omp taskgroup
    descend(kDeep);
    CHECK_EQ(done, kLeaves + kDeep + 1);
    leaves();
    CHECK_EQ(done, 2 * kLeaves + kDeep + 1);
}

// Undeferred tasks between them.
static void descend_undeferred(int left) {
#pragma omp task depend(inout : done) firstprivate(left)
    {
        done++;
#pragma omp task if (0)
        if (left > 0) descend_undeferred(left - 1);
    }
}

static void deep_undeferred(void) {
    done = 0;
    for (int i = 0; i < kLeaves; i++)
        descend_undeferred(0);
#pragma omp taskwait
#pragma omp taskgroup
    descend_undeferred(kDeep);
    CHECK_EQ(done, kLeaves + kDeep + 1);
}

// A predecessor that is not over when its body is.
static void after_an_event(void) {
    for (int round = 0; round < kRounds; round++) {
        int value = 0, seen = 0;
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
        value = 1;
        for (int i = 0; i < kLeaves; i++) {
#pragma omp task depend(inout : value) shared(seen)
            seen++;
        }
#pragma omp taskyield
        CHECK_EQ(seen, 0);
        omp_fulfill_event(event);
#pragma omp taskwait
        CHECK_EQ(value, 1);
        CHECK_EQ(seen, kLeaves);
    }
}

// Children of such a task outlive it, and are waited for by its group alone.
static void with_children(void) {
    int children = 0, ended = 0;
#pragma omp taskgroup
    for (int i = 0; i < 2 * kLeaves; i++) {
#pragma omp task depend(inout : ended) shared(children, ended)
        {
            ended++;
            if (i % 300 == 299) {
#pragma omp task depend(inout : children) shared(children)
                children++;
#pragma omp taskwait depend(in : children)
#pragma omp task shared(children)
                children++;
            }
        }
    }
    CHECK_EQ(ended, 2 * kLeaves);
    CHECK_EQ(children, 2 * (2 * kLeaves / 300));
}

// Its creator's data are its own as of its creation, and its control variables its creator's.
static void told_of_itself(void) {
    int sum = 0;
    for (int i = 0; i < kLeaves; i++) {
        omp_set_max_active_levels(i % 7 + 1);
#pragma omp task depend(inout : sum) shared(sum) firstprivate(i)
        {
            CHECK_EQ(omp_get_max_active_levels(), i % 7 + 1);
            CHECK_EQ(omp_get_num_threads(), 1);
            omp_set_max_active_levels(9);
            sum += i;
            i = -1;
        }
        CHECK_EQ(omp_get_max_active_levels(), i % 7 + 1);
    }
#pragma omp taskwait
    CHECK_EQ(sum, kLeaves * (kLeaves - 1) / 2);
}

static void in_final(void) {
    int sum = 0;
#pragma omp task final(1) shared(sum) depend(out : sum)
    for (int i = 0; i < kLeaves; i++) {
#pragma omp task depend(inout : sum) shared(sum)
        {
            CHECK_EQ(omp_in_final(), 1);
            CHECK_EQ(sum, i);
            sum++;
        }
        CHECK_EQ(sum, i + 1);
    }
#pragma omp taskwait
    CHECK_EQ(sum, kLeaves);
}

// The creator holds a lock that some of them want: they wait until it has let go.
static void want_a_lock(void) {
    omp_lock_t lock;
    int sum = 0, wants = 0;
    omp_init_lock(&lock);
    for (int i = 0; i < kLeaves; i++) {
        wants = i % 100 == 99;
        if (wants) omp_set_lock(&lock);
#pragma omp task depend(inout : sum) shared(sum, lock) firstprivate(wants)
        {
            if (wants) omp_set_lock(&lock);
            sum++;
            if (wants) omp_unset_lock(&lock);
        }
        if (wants) omp_unset_lock(&lock);
    }
#pragma omp taskwait
    omp_destroy_lock(&lock);
    CHECK_EQ(sum, kLeaves);
}

int main(void) {
#pragma omp parallel num_threads(1)
    {
        deep();
        deep_undeferred();
        after_an_event();
        with_children();
        told_of_itself();
        in_final();
        want_a_lock();
    }
}
