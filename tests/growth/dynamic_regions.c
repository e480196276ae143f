// SPDX-License-Identifier: Apache-2.0
// Runs N regions with dynamic adjustment, where N is the argument. Prints how many files the
// process opened for them.
#include <fcntl.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int opened;

// Stands before the C library's.
int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const int mode = va_arg(arguments, int);
    va_end(arguments);
    __atomic_fetch_add(&opened, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int main(int count, char** words) {
    const int regions = count > 1 ? atoi(words[1]) : 1;
    int members = 0;
    omp_set_dynamic(1);
    const int before = opened;
    for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2) reduction(+ : members)
        ++members;
    }
    printf("%d\n", opened - before);
    return members < regions;
}
