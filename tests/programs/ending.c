// SPDX-License-Identifier: Apache-2.0
// Ends in the way that its argument names, after a parallel region. A number: exits with that
// status. `abort`, `segv`: ends by the signal. `exit-inside`: calls exit in the region. `wait`:
// prints "ready" and sleeps until a signal comes.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "0";
    int members = 0;
#pragma omp parallel
    {
#pragma omp atomic
        ++members;
#pragma omp barrier
#pragma omp single
        if (strcmp(how, "exit-inside") == 0) exit(7);
    }
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "segv") == 0) raise(SIGSEGV);
    if (strcmp(how, "wait") == 0) {
        puts("ready");
        fflush(stdout);
        pause();
    }
    return members > 0 ? atoi(how) : 99;
}
