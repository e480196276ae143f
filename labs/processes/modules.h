// SPDX-License-Identifier: Apache-2.0
//
// Distinguishes the program's modules, whose globals and allocations are shared, from the system's
// modules (such as the C library), whose state is private to each process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/memory_list.h"

namespace teff::processes::modules {

// Called once, before the other functions.
void prepare();

struct Span {
    std::uintptr_t start, end;
};

// `path` is the module's name in the loader.
bool is_private(const char* path);
// Whether the module's own code counts references to the program's objects, as libstdc++ does for
// exceptions.
bool counts_references(const char* path);
// Whether the code at the address belongs to a module whose state is not shared. C++'s operator new
// and the allocation of exceptions do not count as such: what they ask for is the program's.
bool is_private_code(const void* address);
// The name of the module to which the code belongs, without its folder.
const char* name_of(const void* code);

struct Globals {
    Span span;               // by page
    std::uintptr_t file_end; // what lies before came from the module's file
};

// The writable parts of the program's modules, without what is read-only after relocation.
void find_globals(List<Globals>& globals);

} // namespace teff::processes::modules
