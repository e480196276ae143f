// SPDX-License-Identifier: Apache-2.0
// Situation: a library that uses OpenMP is loaded into a namespace of its own (dlmopen), with a second copy of the runtime
// Catches: a runtime that assumes that it exists once in a process.
// library: sum.so sum.c
// flags: -ldl

#define _GNU_SOURCE 1
#include <dlfcn.h>

#include "../use_openmp.h"

int main(void) {
    char path[512];
    snprintf(path, sizeof path, "%s/sum.so", getenv("SITUATIONS_DIR"));
    use_openmp(4);
    void* library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    if (library == NULL) WRONG("%s", dlerror());
    long (*sum)(long, int) = (long (*)(long, int))dlsym(library, "sum_to");
    for (int round = 0; round < 20; ++round) {
        CHECK_EQ(sum(1000, 3), 500500);
        use_openmp(3);
#pragma omp parallel num_threads(2)
        CHECK_EQ(sum(100, 2), 5050);
    }
    use_openmp(4);
    return 0;
}
