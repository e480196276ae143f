// SPDX-License-Identifier: Apache-2.0
//
// Situation: the address space is used up (ulimit -v): after the start, at the 1st, 2nd, ... stack, or in the middle of a stack
// Catches: a runtime that ends the program when a stack cannot be mapped, or that hangs with the threads that it got
// env: OMP_NUM_THREADS=16 OMP_STACKSIZE=1M MALLOC_ARENA_MAX=1
// limit: 120
#include "again.h"
#include "work.h"

// How much the process has mapped by now.
static long mapped_bytes(void) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) SKIP("no /proc/self/statm");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(int argc, char** argv) {
    if (argc > 1) {
        const long room = mapped_bytes() + atol(argv[1]) * 1024;
        const struct rlimit limit = {(rlim_t)room, (rlim_t)room};
        if (setrlimit(RLIMIT_AS, &limit) != 0) SKIP("setrlimit says no");
        work();
        return 0;
    }
    int whole = 0;
    for (long room_KiB = 0; room_KiB <= 24 * 1024; room_KiB += 192) {
        char argument[32];
        snprintf(argument, sizeof argument, "%ld", room_KiB);
        struct Again again = run_again(argument, 10, NULL);
        judge_again(&again, "with %ld KiB of address space left", room_KiB);
        whole += again.status == 0;
    }
    CHECK(whole > 30); // most of them have room for some threads, and that must do
    return 0;
}
