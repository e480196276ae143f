// SPDX-License-Identifier: Apache-2.0
//
// The preemptible code: address ranges, asked by signal handlers.
//
// A new table is built for each change and swapped in. Old ones are kept, since a handler may be
// reading one; there are as many as objects whose code is preemptible, and these are never
// unloaded.
// [ranges-1] the store of a table (release) pairs with its load (acquire): a handler sees the
//            ranges in it.
// Who may touch what: any thread and handler asks; one at a time adds (objects.cpp, under the
// dynamic linker's lock). Adding allocates. Asking is signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace teff::preempt {

struct CodeRange {
    std::uintptr_t begin;
    std::uintptr_t end; // behind the last byte
    bool operator==(const CodeRange&) const = default;
};

bool is_preemptible(const void* instruction);

// False: there is no memory; nothing is added.
bool add_code_ranges(std::span<const CodeRange> ranges);

// In order, and none touches the next.
std::span<const CodeRange> code_ranges();

// For tests: nothing is preemptible any more. No other thread asks meanwhile.
void clear_code_ranges();

} // namespace teff::preempt
