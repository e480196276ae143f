// SPDX-License-Identifier: Apache-2.0
//
// Access to the routines that libgomp has from GCC 13 on and that are missing in the headers and
// library of GCC 12: programs look them up at run time, by name and symbol version.
#ifndef CONFORMANCE_NEWER_H
#define CONFORMANCE_NEWER_H

#include "check.h"
#include <dlfcn.h>

__attribute__((unused)) static void* newer_symbol(const char* name, const char* version) {
    void* address = dlvsym(RTLD_DEFAULT, name, version);
    if (address != NULL) return address;
    fprintf(stderr, "the runtime has no %s@%s\n", name, version);
    _exit(1);
}

#endif
