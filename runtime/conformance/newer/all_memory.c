// SPDX-License-Identifier: Apache-2.0
// stock: fails, it knows omp_all_memory and inoutset only from GCC 13 on
//
// Tests depend(out: omp_all_memory) and depend(inoutset: ...). GCC 12 does not know these clauses,
// so the tasks are created as later compilers create them.
#include "newer.h"

enum { kDepend = 8, kInoutset = 5, kRounds = 200, kSet = 6 };

void GOMP_task(void (*)(void*), void*, void (*)(void*, void*), long, long, _Bool, unsigned, void**, int, void*);
void GOMP_taskwait_depend(void**);

static int round_number, x, y, z, in_set, most_in_set, set_done;

static void task(void (*body)(void*), void** depend) {
    GOMP_task(body, &round_number, NULL, sizeof round_number, sizeof round_number, 1, kDepend, depend, 0, NULL);
}

static void write_x(void* data) { (void)data, x++; }
static void write_y(void* data) { (void)data, y++; }
static void write_all(void* data) {
    (void)data;
    CHECK_EQ(x, y);
    CHECK_EQ(x, z + 1);
    z++;
}
static void read_x(void* data) {
    (void)data;
    CHECK_EQ(x, z);
}
static void read_z(void* data) { CHECK_EQ(z, *(int*)data); } // the next writer of all memory waits for it

static void all_memory(void) {
    static char unseen[kRounds + 1];
    void* writes_all[] = {(void*)1, (void*)1, NULL};
    for (round_number = 1; round_number <= kRounds; round_number++) {
        void *out_x[] = {(void*)1, (void*)1, &x}, *out_y[] = {(void*)1, (void*)1, &y};
        void *in_x[] = {(void*)1, (void*)0, &x}, *in_unseen[] = {(void*)1, (void*)0, &unseen[round_number]};
        task(write_x, out_x);
        task(write_y, out_y);
        task(write_all, writes_all);
        task(read_x, in_x);
        task(read_z, in_unseen);
    }
    GOMP_taskwait_depend(writes_all);
    CHECK_EQ(z, kRounds);
}

static void be_in_set(void* data) {
    (void)data;
    int now;
#pragma omp atomic capture
    now = ++in_set;
#pragma omp critical
    most_in_set = now > most_in_set ? now : most_in_set;
    CHECK_EQ(z, 0); // after the writer before the set
    sched_yield();
#pragma omp atomic
    in_set--;
#pragma omp atomic
    set_done++;
}
static void reset_z(void* data) { (void)data, z = 0; }
static void after_set(void* data) {
    (void)data;
    CHECK_EQ(set_done, kSet);
    set_done = 0;
    z = 1;
}

static void inoutset(void) {
    struct {
        void* address;
        void* kind;
    } object = {&z, (void*)kInoutset};
    void (*taskwait_depend_nowait)(void**) = newer_symbol("GOMP_taskwait_depend_nowait", "GOMP_5.1.1");
    void *member[] = {NULL, (void*)1, NULL, NULL, NULL, &object}, *out_z[] = {(void*)1, (void*)1, &z};
    for (int round = 0; round < kRounds; round++) {
        task(reset_z, out_z);
        for (int i = 0; i < kSet; i++)
            task(be_in_set, member);
        task(after_set, out_z);
        taskwait_depend_nowait(out_z);
    }
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        all_memory();
#pragma omp taskwait
        inoutset();
    }
    CHECK_EQ(z, 1);
    CHECK_EQ(in_set, 0);
}
