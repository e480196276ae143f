// SPDX-License-Identifier: Apache-2.0
// Sets the kind of library, and how long threads spin, while the program runs. Prints "ok".
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int good, const char* what) {
    if (good) return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static int threads_of_region(int asked) {
    int threads = 0;
    if (asked == 0) {
#pragma omp parallel reduction(+ : threads)
        ++threads;
    } else {
#pragma omp parallel num_threads(asked) reduction(+ : threads)
        ++threads;
    }
    return threads;
}

int main(void) {
    check(kmp_get_library() == 3, "throughput at the beginning");
    check(threads_of_region(0) == 3, "threads at the beginning");
    kmp_set_library_serial();
    check(kmp_get_library() == 1, "serial");
    check(omp_get_max_threads() == 1, "the most threads if serial");
    check(threads_of_region(0) == 1 && threads_of_region(2) == 1, "threads if serial");
    kmp_set_library_turnaround();
    check(kmp_get_library() == 2, "turnaround");
    check(threads_of_region(0) == 3 && threads_of_region(2) == 2, "threads after turnaround");
    kmp_set_library(4);
    check(kmp_get_library() == 2, "a library that does not exist");
#pragma omp parallel
#pragma omp single
    kmp_set_library_serial();
    check(kmp_get_library() == 2 && threads_of_region(0) == 3, "a call in a region has no effect");
    kmp_set_library_throughput();
    check(kmp_get_library() == 3 && threads_of_region(0) == 3, "throughput");
    kmp_set_blocktime(7);
    check(kmp_get_blocktime() == 7 && threads_of_region(0) == 3, "the block time");
    puts("ok");
    return 0;
}
