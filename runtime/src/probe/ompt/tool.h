// SPDX-License-Identifier: Apache-2.0
//
// The process's tool: how it is found, started and ended (OpenMP 5.2, section 19.2).
//
//     unasked  --first use of OpenMP--> starting
//     starting --a tool wants to stay--> on
//     starting --there is no tool--> over
//     on       --the process ends--> over
//
// The first use of OpenMP is when a thread becomes a worker, takes a lock or calls a routine
// (abi/first_use.h). At that time the constructors of the program, of its libraries and of the tool
// have run, and a program that only loads the runtime pays nothing. What the library's constructor
// has left to the first use (begin_first_use_with) comes before it. Output that the environment
// requests, and warnings about environment variables, are delayed until the first use, and are
// printed before the tool starts. While a tool starts, other threads that use OpenMP wait for it. A
// forked child goes to `over`: the tool belongs to the parent, and is not finalised in the child.
// The child may have a tool of its own only if the parent had not used OpenMP before the fork.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"

namespace teff::probe::ompt {

namespace detail {
enum class Phase : std::uint8_t { kUnasked, kStarting, kOn, kOver };
extern std::atomic<Phase> phase;
TEFF_COLD bool start_tool();
} // namespace detail

// Returns true if the process has used OpenMP. Once true, the result stays true.
//
// Acquire: a thread that finds it true sees what `prepare` (below) has written.
inline bool in_use() {
    return detail::phase.load(std::memory_order_acquire) != detail::Phase::kUnasked; // [tool-2]
}

// Lets the first use of OpenMP begin with a call of `prepare`, while other threads that use OpenMP
// wait. Called by the library's constructor, at most once.
void begin_first_use_with(void (*prepare)());

// Returns true if a tool is attached. The first call is the process's first use of OpenMP, and
// starts the tool if there is a tool.
inline bool attached() {
    // Acquire: a thread that finds the tool attached sees it initialised. [tool-1]
    const detail::Phase now = detail::phase.load(std::memory_order_acquire);
    if (TEFF_LIKELY(now == detail::Phase::kOver)) return false;
    return now == detail::Phase::kOn || detail::start_tool();
}

// Returns true if a tool is attached now. Starts no tool.
inline bool is_attached() {
    return detail::phase.load(std::memory_order_acquire) == detail::Phase::kOn; // [tool-1]
}

// Ends the tool: removes its callbacks, then finalises the tool. Only the first call has an effect.
void finalize_tool();

// Called in a forked child. Drops the parent's tool without finalising it.
void abandon_tool();

} // namespace teff::probe::ompt
