// SPDX-License-Identifier: Apache-2.0
// A program with a handler for SIGSEGV, as collectors of garbage have it: a page gets its access
// when a region writes to it.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static char page[PAGE] __attribute__((aligned(PAGE)));

static void give_access(int signal) {
    (void)signal;
    if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0) abort();
}

__attribute__((constructor)) static void prepare(void) {
    signal(SIGSEGV, give_access);
    if (mprotect(page, PAGE, PROT_NONE) != 0) abort();
}

static int write_page(void) {
    page[7] = 3;
    return page[7];
}

int main(void) {
    int got = 0;
#pragma omp target map(from : got)
    got = write_page();
    printf("%d devices, %s\n", omp_get_num_devices(), got == 3 ? "ok" : "wrong");
    return 0;
}
