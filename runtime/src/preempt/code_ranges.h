// SPDX-License-Identifier: Apache-2.0
//
// The table of preemptible code: address ranges that signal handlers look up.
//
// A range can be exempt. An exempt range is in no table, even if an added range contains it.
//
// Each change builds a new table and swaps it in. Old tables are kept, because a handler may be
// reading one. The number of tables is the number of objects whose code is preemptible. These
// objects are never unloaded.
// [ranges-1] The store of a table (release) pairs with its load (acquire): a handler sees the
//            ranges in the table. Who may touch what: any thread and any handler may look up an
//            address. One thread at a time changes the table (objects.cpp, under the dynamic
//            linker's lock). Changes allocate. Looking up is signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace teff::preempt {

struct CodeRange {
    std::uintptr_t begin;
    std::uintptr_t end; // one past the last byte
    bool operator==(const CodeRange&) const = default;
};

bool is_preemptible(const void* instruction);

// Returns false if there is no memory; then nothing is added.
bool add_code_ranges(std::span<const CodeRange> ranges);

// Takes this code out of the table for good. Returns false if there is no memory; then nothing
// changes.
bool exempt_code(const CodeRange& code);

// Returns the ranges in ascending order; no two ranges touch.
std::span<const CodeRange> code_ranges();

// For tests: after this call nothing is preemptible, and nothing exempt. No other thread may look
// up an address meanwhile.
void clear_code_ranges();

} // namespace teff::preempt
