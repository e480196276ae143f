// SPDX-License-Identifier: Apache-2.0
// env: OMP_CANCELLATION=true
//
// Some threads have left a nowait loop or nowait sections while another thread is still inside. The
// construct keeps all its iterations when the next construct is cancelled.
#include "check.h"

enum { N = 48 };
enum { RUNTIME_STATIC, RUNTIME_CHUNKS, DYNAMIC, GUIDED, ORDERED, DOACROSS, IN_SECTIONS, EARLIER_KINDS };
enum { LOOP, STATIC_LOOP, SECTIONS, KINDS };

static int hits[N], cancelled;

// The last thread waits in its first iteration until the others have cancelled the construct behind
// this one.
static void iteration(int i) {
    const int size = omp_get_num_threads();
    if (size > 1 && omp_get_thread_num() == size - 1) check_wait_for(&cancelled, 1);
    __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
}

static void scheduled_by_the_runtime(void) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < N; i++)
        iteration(i);
}

static void in_order(void) {
#pragma omp for schedule(static) ordered nowait
    for (int i = 0; i < N; i++) {
        iteration(i);
#pragma omp ordered
        CHECK_EQ(hits[i], 1);
    }
}

static void with_dependences(void) {
#pragma omp for schedule(static) ordered(1) nowait
    for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        iteration(i);
#pragma omp ordered depend(source)
    }
}

static void in_sections(void) {
#pragma omp sections nowait
    {
        for (int i = 0; i < N / 2; i++)
            iteration(i);
#pragma omp section
        for (int i = N / 2; i < N; i++)
            iteration(i);
    }
}

static void earlier(int kind) {
    switch (kind) {
    case RUNTIME_STATIC:
        omp_set_schedule(omp_sched_static, 0);
        return scheduled_by_the_runtime();
    case RUNTIME_CHUNKS:
        omp_set_schedule(omp_sched_static, 1);
        return scheduled_by_the_runtime();
    case DYNAMIC:
        omp_set_schedule(omp_sched_dynamic, 1);
        return scheduled_by_the_runtime();
    case GUIDED:
        omp_set_schedule(omp_sched_guided, 1);
        return scheduled_by_the_runtime();
    case ORDERED:
        return in_order();
    case DOACROSS:
        return with_dependences();
    case IN_SECTIONS:
        return in_sections();
    }
}

static void cancelled_loop(void) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
#pragma omp cancel for
        CHECK(!"went on after cancel");
    }
}

// The compiler divides this one.
static void cancelled_static_loop(void) {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) {
#pragma omp cancel for
        CHECK(!"went on after cancel");
    }
}

static void cancelled_sections(void) {
#pragma omp sections
    {
        {
#pragma omp cancel sections
            CHECK(!"went on after cancel");
        }
#pragma omp section
        {
#pragma omp cancel sections
            CHECK(!"went on after cancel");
        }
    }
}

static void check_pair(int earlier_kind, int kind) {
    memset(hits, 0, sizeof hits);
    cancelled = 0;
#pragma omp parallel
    {
        // Who comes to the end of the cancelled construct first has time for this task there.
#pragma omp masked
#pragma omp task
        __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
        earlier(earlier_kind);
        if (kind == LOOP) cancelled_loop();
        else if (kind == STATIC_LOOP) cancelled_static_loop();
        else cancelled_sections();
    }
    for (int i = 0; i < N; i++)
        CHECK_EQ(hits[i], 1);
}

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 3; round++)
        for (int earlier_kind = 0; earlier_kind < EARLIER_KINDS; earlier_kind++)
            for (int kind = 0; kind < KINDS; kind++)
                check_pair(earlier_kind, kind);
}
