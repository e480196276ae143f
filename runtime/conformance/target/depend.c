// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// clang: without devices, target constructs are no calls of the runtime
//
// Target constructs with a depend clause run in the order of their dependences on sibling tasks.
// With nowait, they do not delay the encountering thread. Firstprivate data have the values of the
// moment when the construct was encountered. The program is compiled without optimisation, because
// GCC 12 otherwise overlooks that the runtime writes the event's handle.
#include "check.h"

enum { ROUNDS = 50 };

// The predecessor ends only when the thread that met the target construct has gone on.
static void waits_for_later_event(void) {
    int x = 0, y = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 7;
#pragma omp target nowait map(tofrom : x, y) depend(in : x) depend(out : y)
    y = x;
#pragma omp target enter data nowait map(to : y) depend(inout : y)
#pragma omp target update nowait to(y) depend(inout : y)
#pragma omp target exit data nowait map(from : y) depend(inout : y)
#pragma omp task depend(inout : y) shared(y)
    y++;
    CHECK_EQ(y, 0);
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQ(y, 8);
}

static void without_nowait(void) {
    int x = 0, y = 0;
#pragma omp task depend(out : x) shared(x)
    x = 1;
#pragma omp target map(tofrom : x, y) depend(in : x)
    y = x;
    CHECK_EQ(y, 1);
#pragma omp task depend(out : x) shared(x)
    x = 2;
#pragma omp target update to(x) depend(in : x)
    CHECK_EQ(x, 2);
#pragma omp taskwait
}

// By one thread alone, so that the task surely runs no earlier than in the wait for it.
static void firstprivate_before_wait(void) {
    int x = 0, before, seen = -1;
#pragma omp task depend(out : x) shared(x)
    x = 1;
    before = x;
#pragma omp target map(tofrom : seen) firstprivate(x) depend(in : x)
    seen = x;
    CHECK_EQ(seen, before);
    CHECK_EQ(x, 1);
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        without_nowait();
#pragma omp parallel
        {
            waits_for_later_event();
            without_nowait();
        }
#pragma omp parallel num_threads(1)
        firstprivate_before_wait();
    }
}
