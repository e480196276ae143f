// SPDX-License-Identifier: Apache-2.0
//
// For tests only: the libraries runtime/test_objects/reached.c.
#pragma once

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <span>
#include <string>

#include "preempt/loaded.h"
#include "preempt/preempted_program.h"
#include "preempt/reached.h"

namespace teff::preempt {

// Returns the loaded file that contains the address.
inline Loaded loaded_at(const void* address) {
    struct Wanted {
        const void* address;
        Loaded found;
    } wanted{address, {}};
    const auto look = [](dl_phdr_info* info, std::size_t, void* argument) {
        Wanted& wanted = *static_cast<Wanted*>(argument);
        const Loaded object{info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
        if (!object.contains(wanted.address)) return 0;
        wanted.found = object;
        return 1;
    };
    dl_iterate_phdr(look, &wanted);
    return wanted.found;
}

// Loads a library, and returns what it says about its functions.
inline std::span<const ReachedFunction> reached_functions(const std::string& kind) {
    std::string path = test_object("now");
    path.replace(path.rfind("preempted_now"), std::strlen("preempted_now"), "reached_" + kind);
    void* const handle = dlopen(path.c_str(), RTLD_NOW);
    if (handle == nullptr) ADD_FAILURE() << dlerror();
    if (handle == nullptr) return {};
    int count = 0;
    const ReachedFunction* const first = reinterpret_cast<Reached>(dlsym(handle, "reached"))(&count);
    return {first, static_cast<std::size_t>(count)};
}

inline const void* code_of(const ReachedFunction& function) { return reinterpret_cast<const void*>(function.function); }

} // namespace teff::preempt
