// SPDX-License-Identifier: Apache-2.0
// A library that uses OpenMP in its constructor and its destructor.

#include "../use_openmp.h"

static int loaded;

__attribute__((constructor)) static void at_load(void) {
    use_openmp(3);
    ++loaded;
}

__attribute__((destructor)) static void at_unload(void) { use_openmp(3); }

int at_exit_loaded(void);
int at_exit_loaded(void) { return loaded; }
