// SPDX-License-Identifier: Apache-2.0
//
// A test program with cases that are run by name, in plain OpenMP. The number of threads is the one
// that the environment gives.
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct a_case {
    const char* name;
    int (*run)(void); // whether it went right
};

static int threads; // of a full team

// Prints "right" or "wrong", and returns the exit status.
static int run_case(const struct a_case* cases, size_t count, const char* name) {
    threads = omp_get_max_threads();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(cases[i].name, name) != 0) continue;
        const int right = cases[i].run();
        printf("%s\n", right ? "right" : "wrong");
        return right ? 0 : 1;
    }
    fprintf(stderr, "there is no case %s\n", name);
    return 2;
}
