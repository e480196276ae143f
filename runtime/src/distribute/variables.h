// SPDX-License-Identifier: Apache-2.0
//
// Reads the environment in the form in which the kernel passes it to a new process, and finds the
// variables that configure glibc's malloc. The functions are pure. They do not call getenv, because
// the program may define a getenv of its own, and because another thread may call setenv at the
// same time.
#pragma once

#include <initializer_list>
#include <string_view>

namespace teff::distribute {

// Returns the value of a variable; null if the variable is not set.
inline const char* variable(const char* const* variables, std::string_view name) {
    for (; variables != nullptr && *variables != nullptr; ++variables) {
        const std::string_view entry(*variables);
        if (entry.size() > name.size() && entry.substr(0, name.size()) == name && entry[name.size()] == '=')
            return *variables + name.size() + 1;
    }
    return nullptr;
}

inline bool has_tunable(const char* const* variables, std::string_view name) {
    const char* const tunables = variable(variables, "GLIBC_TUNABLES");
    return tunables != nullptr && std::string_view(tunables).find(name) != std::string_view::npos;
}

// Returns true if the user sets the size from which on a block has a separate mapping, or sets when
// a heap shrinks.
inline bool sets_thresholds(const char* const* variables) {
    for (const char* name : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_"})
        if (variable(variables, name) != nullptr) return true;
    for (const char* name : {"glibc.malloc.mmap_", "glibc.malloc.trim_", "glibc.malloc.top_pad"})
        if (has_tunable(variables, name)) return true;
    return false;
}

// Returns true if the user determines the pages of a new block: huge pages, or pages filled with a
// byte of the user's choice.
inline bool shapes_new_blocks(const char* const* variables) {
    return has_tunable(variables, "glibc.malloc.hugetlb") || has_tunable(variables, "glibc.malloc.perturb") ||
           variable(variables, "MALLOC_PERTURB_") != nullptr;
}

} // namespace teff::distribute
