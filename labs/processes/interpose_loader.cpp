// SPDX-License-Identifier: Apache-2.0
//
// dlopen is refused after the first region: the library would be loaded in only one process, and
// its atomic instructions would not be patched. Two cases are allowed: a library that is already
// loaded may be opened again, and the system's libraries may load libraries for themselves.
#include <dlfcn.h>

#include "processes/interpose.h"
#include "processes/link.h"
#include "processes/missing.h"
#include "processes/modules.h"

using namespace teff::processes;

extern "C" {
// Defined in interpose_loader_x86_64.S; takes the arguments of dlopen and its caller.
[[gnu::visibility("hidden")]] void* teff_processes_real_dlopen(const char* file, int mode, const void* caller);
}

void* teff_processes_real_dlopen(const char* file, int mode, const void* caller) {
    using Open = void* (*)(const char*, int);
    static Open real = nullptr;
    next(real, "dlopen");
    if (link::is_connected() && file != nullptr && !modules::is_private_code(caller)) {
        void* const there = real(file, mode | RTLD_NOLOAD);
        if (there == nullptr) missing("a library that is loaded by dlopen after the first parallel region");
        dlclose(there);
    }
    return reinterpret_cast<void*>(real);
}
