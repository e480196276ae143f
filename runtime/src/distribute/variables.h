// SPDX-License-Identifier: Apache-2.0
//
// The environment as the kernel gives it to a new process, and what it says of glibc's malloc. Not
// by getenv, which may be the program's own, and may meet a setenv. Pure functions.
#pragma once

#include <initializer_list>
#include <string_view>

namespace teff::distribute {

// Null: it is not set.
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

// Whether the user says himself from which size on a block has a mapping of its own, or when a heap
// shrinks.
inline bool sets_thresholds(const char* const* variables) {
    for (const char* name : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_"})
        if (variable(variables, name) != nullptr) return true;
    for (const char* name : {"glibc.malloc.mmap_", "glibc.malloc.trim_", "glibc.malloc.top_pad"})
        if (has_tunable(variables, name)) return true;
    return false;
}

// Whether the pages of a new block are as the user wants them: huge, or full of a byte of his.
inline bool shapes_new_blocks(const char* const* variables) {
    return has_tunable(variables, "glibc.malloc.hugetlb") || has_tunable(variables, "glibc.malloc.perturb") ||
           variable(variables, "MALLOC_PERTURB_") != nullptr;
}

} // namespace teff::distribute
