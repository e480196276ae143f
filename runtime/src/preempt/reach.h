// SPDX-License-Identifier: Apache-2.0
//
// Finds out whether a function of a loaded file may reach a thread-local variable: its own code, or
// the code of the same file that it calls, directly or not.
//
// The walk goes through the code of the function from its first to its last byte, and then through
// the code of each function that this code names: by a call or jump, by taking its address (a
// library or the runtime may call it), or by a pointer that it loads from a fixed place. Where a
// function begins and ends, the tables of exceptions say; code without such tables is not known.
// As all of a function counts, tables of jumps and handlers of exceptions need not be followed.
//
// What a library does is not looked at: its code is not preempted. But a library may call functions
// of the file, in three ways:
//
//   - by an address that the code has passed to it: counts, as the code has taken the address;
//   - by an address in data (`qsort` with a comparator from a structure): the well-known functions
//     that call back, from a list, count as indirect calls; others are not noticed;
//   - by a name that the file exports, such as `operator new`: if the code calls a library, all
//     exported functions count.
//
// The answer is `unknown` where the code calls or jumps to an address that it has computed or
// loaded, where it has an instruction that the decoder does not know, and where there is too much
// of it (kMostBytes, kMostFunctions).
//
// Any thread may call these functions. They allocate memory, and are not signal-safe. The file must
// stay loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preempt/loaded.h"

namespace teff::preempt {

inline constexpr std::size_t kMostBytes = 256 << 10;
inline constexpr std::size_t kMostFunctions = 1024;

enum class Reach : std::uint8_t { no_thread_local, thread_local_variable, unknown };

struct Finding {
    Reach reach;
    std::uintptr_t at; // the instruction that decided, or the function; 0: nothing did
};

// Returns true if code for this processor can be followed.
bool can_follow_code();

Finding find_reach(const Loaded& file, const void* function);

} // namespace teff::preempt
