// SPDX-License-Identifier: Apache-2.0
// Situation: libraries that use OpenMP are loaded with RTLD_DEEPBIND, like plug-ins, into a program that also uses OpenMP
// Catches: a runtime whose calls of its own functions reach another library when that library's scope comes first.
// library: sum.so sum.c
// library: sum_again.so sum.c
// flags: -ldl

#include <dlfcn.h>

#include "../use_openmp.h"

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 8
#endif

static void load_and_use(const char* name, int flags) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", getenv("SITUATIONS_DIR"), name);
    void* library = dlopen(path, RTLD_NOW | flags);
    if (library == NULL) WRONG("%s", dlerror());
    CHECK_EQ(((long (*)(long, int))dlsym(library, "sum_to"))(1000, 3), 500500);
    ((void (*)(int))dlsym(library, "set_default_threads"))(5);
    CHECK_EQ(omp_get_max_threads(), 5); // one runtime, so one set of control variables
    omp_set_num_threads(4);
    CHECK_EQ(((int (*)(void))dlsym(library, "default_threads"))(), 4);
}

int main(void) {
    load_and_use("sum.so", RTLD_DEEPBIND | RTLD_LOCAL);
    use_openmp(4);
    load_and_use("sum_again.so", RTLD_DEEPBIND | RTLD_GLOBAL);
    use_openmp(3);
    return 0;
}
