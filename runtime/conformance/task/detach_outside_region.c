// SPDX-License-Identifier: Apache-2.0
// flags: -Wno-unused-variable -O0
// stock: fails, libgomp 12 waits for the event where the task is created
//
// A detachable task outside any region: its creator continues and fulfils the event itself. Tasks
// that depend on it run afterwards.
#include "check.h"
#include <pthread.h>

static void fulfilled_by_creator(void) {
    int ran = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) shared(ran)
    ran = 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQ(ran, 1);
}

static void fulfilled_in_body(void) {
    int ran = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) shared(ran)
    {
        ran = 1;
        omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK_EQ(ran, 1);
}

static void successors_follow(void) {
    int x = 0, order = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(inout : x) shared(x, order)
    {
        CHECK_EQ(order, 1);
        CHECK_EQ(x, 1);
        x = 2;
    }
#pragma omp task depend(in : x) shared(x, order)
    {
        CHECK_EQ(x, 2);
        order = 2;
    }
    CHECK_EQ(order, 0);
    order = 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQ(order, 2);
}

static void* fulfil(void* event) {
    usleep(2000);
    omp_fulfill_event(*(omp_event_handle_t*)event);
    return NULL;
}

// taskwait, taskgroup and a dependence wait for the event.
static void fulfilled_by_another_thread(int kind) {
    int x = 0;
    omp_event_handle_t event;
    pthread_t thread;
#pragma omp taskgroup
    {
#pragma omp task detach(event) depend(out : x) shared(x)
        __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
        CHECK_EQ(pthread_create(&thread, NULL, fulfil, &event), 0);
        if (kind == 0) {
#pragma omp taskwait
        } else if (kind == 1) {
#pragma omp taskwait depend(in : x)
        } else if (kind == 2) {
#pragma omp task depend(inout : x) shared(x)
            x = 2;
        }
    }
    CHECK_EQ(x, kind == 2 ? 2 : 1);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

int main(void) {
    for (int i = 0; i < 20; i++) {
        fulfilled_by_creator();
        fulfilled_in_body();
        successors_follow();
    }
    for (int i = 0; i < 8; i++)
        fulfilled_by_another_thread(i % 4);
    // Regions afterwards are as they were.
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
    CHECK(sum >= 1);
    fulfilled_by_creator();
}
