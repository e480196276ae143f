// SPDX-License-Identifier: Apache-2.0
// Executes a construct of each kind, and prints a line for each fact about it: a name, the thread's
// number in its team, the clock before and after, and a number.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

enum { MOST = 4096, WORK = 20000, SECTIONS = 4, ROUNDS = 5, ROWS = 6, COLUMNS = 5 };

static struct fact {
    const char* name;
    int thread;
    unsigned long long before, after;
    long number;
} facts[MOST];
static int count;

static void say(const char* name, unsigned long long before, long number) {
    const int place = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (place >= MOST) exit(2);
    facts[place] = (struct fact){name, omp_get_thread_num(), before, ticks(), number};
    work_for(WORK); // what follows is not taken for what was before
}

static void act(const char* name, long number) {
    const unsigned long long before = ticks();
    work_for(WORK);
    say(name, before, number);
}

static void sections(void) {
#pragma omp parallel sections
    {
#pragma omp section
        act("section", 1);
#pragma omp section
        act("section", 2);
#pragma omp section
        act("section", 3);
    }
}

static void single(void) {
    int copied = 0;
#pragma omp parallel firstprivate(copied)
    {
#pragma omp single
        {
            const unsigned long long before = ticks();
#pragma omp task
            work_for(WORK);
            say("task of single", before, 0);
        }
#pragma omp single copyprivate(copied)
        {
            copied = 1;
            act("single", copied);
        }
    }
}

static void taskgroup(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        work_for(WORK);
        unsigned long long before = ticks();
#pragma omp taskgroup
        {
            say("group begins", before, 0);
#pragma omp task
            {
#pragma omp task
                act("in group", 1);
                act("in group", 0);
            }
            before = ticks();
        }
        say("group ends", before, 0);
    }
}

// Fulfilled within its body, by another task while the body runs, and after the body by another
// thread.
static void detach(void) {
    omp_event_handle_t early, late;
    int ended = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(early)
        {
            const unsigned long long before = ticks();
            omp_fulfill_event(early);
            say("fulfilled early", before, 0);
        }
#pragma omp taskwait
        omp_event_handle_t* const event = &late;
#pragma omp task detach(late) shared(ended)
#pragma omp atomic write
        ended = 1;
#pragma omp task firstprivate(event) shared(ended)
        {
            for (int seen = 0; !seen;) {
#pragma omp atomic read
                seen = ended;
            }
            work_for(WORK);
            const unsigned long long before = ticks();
            omp_fulfill_event(*event);
            say("fulfilled late", before, 0);
        }
        work_for(WORK);
        const unsigned long long before = ticks();
#pragma omp taskwait
        say("waited for events", before, 0);
    }
}

static void kinds_of_tasks(void) {
#pragma omp parallel num_threads(1)
    {
        unsigned long long before = ticks();
#pragma omp task if (0)
        act("undeferred body", 0);
        say("undeferred", before, 0);
        before = ticks();
#pragma omp task untied
        act("untied body", 0);
        say("untied", before, 0);
#pragma omp taskwait
#pragma omp task final(1)
        {
            work_for(WORK);
            before = ticks();
#pragma omp task
            act("included body", 0);
            say("included", before, 0);
        }
#pragma omp taskwait
        before = ticks();
#pragma omp taskloop num_tasks(ROUNDS)
        for (int i = 0; i < 2 * ROUNDS; ++i)
            act("iteration of taskloop", i);
        say("taskloop", before, ROUNDS);
    }
}

static void nested_regions(void) {
    omp_set_max_active_levels(2);
    const unsigned long long before = ticks();
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
        act("inner member", omp_get_ancestor_thread_num(1));
    }
    say("outer region", before, 0);
}

static void lonely_region(void) {
    const unsigned long long before = ticks();
#pragma omp parallel num_threads(1)
    {
        act("alone", 0);
#pragma omp barrier
#pragma omp for schedule(runtime)
        for (int i = 0; i < ROUNDS; ++i)
            act("iteration alone", i);
    }
    say("lonely region", before, 0);
}

static void barriers(void) {
#pragma omp parallel
    for (int i = 0; i < ROUNDS; ++i) {
        work_for(WORK * (unsigned long long)(omp_get_thread_num() + 1));
        const unsigned long long before = ticks();
#pragma omp barrier
        say("barrier", before, i);
    }
}

static void static_loops(void) {
    omp_set_schedule(omp_sched_static, 3);
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 20; ++i)
            act("iteration of runtime", i);
    }
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 20; i < 40; ++i)
        act("iteration of combined", i);
}

static void doacross(int threads) {
    const char* const name = threads == 1 ? "doacross alone" : "doacross";
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(static, 1) ordered(2)
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            work_for(WORK / 4);
            const unsigned long long before = ticks();
#pragma omp ordered depend(sink : i - 1, j + 1) depend(sink : i, j - 1)
            say(name, before, i * COLUMNS + j);
            work_for(WORK / 4);
#pragma omp ordered depend(source)
        }
}

static void taskwait_with_depend(void) {
    int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        {
            act("awaited", 0);
            x = 1;
        }
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        {
            act("awaited", 1);
            y = x;
        }
#pragma omp task depend(out : z) shared(z)
        {
            act("not awaited", 2);
            z = 1;
        }
        const unsigned long long before = ticks();
#pragma omp taskwait depend(inout : y) depend(in : x)
        say("taskwait depend", before, 0);
#pragma omp task depend(in : y) shared(y)
        act("behind", y);
    }
}

static void cancelled(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 1000; ++i) {
            act("iteration cancelled", i);
#pragma omp cancel for
        }
#pragma omp single
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
#pragma omp taskyield
            for (int i = 0; i < ROUNDS; ++i) {
#pragma omp task
                act("task cancelled", i);
            }
        }
    }
}

int main(void) {
    sections();
    single();
    taskgroup();
    detach();
    kinds_of_tasks();
    nested_regions();
    lonely_region();
    barriers();
    static_loops();
    doacross(3);
    doacross(1);
    taskwait_with_depend();
    cancelled();
    for (const struct fact* fact = facts; fact != facts + count; ++fact)
        printf("%s|%d|%llu|%llu|%ld\n", fact->name, fact->thread, fact->before, fact->after, fact->number);
}
