// SPDX-License-Identifier: Apache-2.0
// Loads and unloads the libraries named by its two arguments in turn, so that each is mapped where
// the other was mapped before. Calls them in parallel regions and outside.
#include <dlfcn.h>
#include <stdio.h>

static void* address;

static int use(const char* library) {
    void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    void (*const entry)(void) = (void (*)(void))dlsym(loaded, "entry");
    if (address == NULL) address = (void*)entry;
    if ((void*)entry != address) puts("elsewhere");
    entry();
    return dlclose(loaded);
}

int main(int count, char** words) {
    if (count != 3 || dlopen("libgomp.so.1", RTLD_NOW) == NULL) return 2; // the runtime stays
    for (int round = 0; round < 4; ++round)
        if (use(words[1]) != 0 || use(words[2]) != 0) return 1;
    return 0;
}
