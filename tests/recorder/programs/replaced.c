// SPDX-License-Identifier: Apache-2.0
// Spends processor time in two libraries, of which the second is loaded where the first was.
//
//     replaced FIRST SECOND MS        a serial part of MS ms in each library, without an event of
//                                     OpenMP in between
//     replaced FIRST SECOND MS team   instead of that, a region of two threads in FIRST's function;
//                                     then the first thread alone replaces the library
//
// Prints "same" if the second library's function is at the first one's address.
#include <dlfcn.h>

#include "work.h"

typedef void (*Spin)(int ms);

static Spin load(const char* library, void** loaded) {
    *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(*loaded != NULL);
    return (Spin)dlsym(*loaded, "spin");
}

static void empty_region(void) {
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 2);
}

int main(int count, char** words) {
    CHECK(count >= 4);
    const int ms = atoi(words[3]);
    empty_region();
    void *first, *second;
    const Spin spin = load(words[1], &first);
    if (count > 4) {
#pragma omp parallel num_threads(2)
        spin(ms);
    } else {
        spin(ms);
    }
    CHECK(dlclose(first) == 0);
    const Spin other = load(words[2], &second);
    other(ms);
    puts(other == spin ? "same" : "elsewhere");
    empty_region();
    return 0;
}
