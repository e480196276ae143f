// SPDX-License-Identifier: Apache-2.0
// One thread creates tasks of two kinds. With arguments, the program fails, or sets the size of its
// team itself.
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;

#ifdef LONGER
static void fill(void) {
    for (int i = 0; i < 100; i++) sink += i;
}

#endif
static void work(int n) {
    for (int i = 0; i < n; i++) sink += i;
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 40; i++) {
#pragma omp task
            work(1000);
        }
#ifdef LONGER
        fill();
        for (int i = 0; i < 10; i++) {
#pragma omp task
            work(500);
        }
#endif
        for (int i = 0; i < 60; i++) {
#pragma omp task
            work(2000);
        }
    }
}

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "";
    if (!strcmp(what, "two")) omp_set_num_threads(2);
    tasks();
    if (!strcmp(what, "fail")) return 3;
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "interrupt")) raise(SIGINT);
    return 0;
}
