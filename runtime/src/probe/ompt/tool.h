// SPDX-License-Identifier: Apache-2.0
//
// The process's tool: how it is found, started and ended (OpenMP 5.2, section 19.2).
//
//     unasked --first use of OpenMP--> starting --a tool wants to stay--> on --the process ends-->
//     over
//                                               --there is none--> over
//
// The first use is when a thread becomes a worker, takes a lock or calls a routine
// (abi/first_use.h): at that time the constructors of the program and its libraries have run, the
// tool's too, and a program that only loads the runtime pays nothing. What the environment asked to
// be displayed, and warnings about its variables, wait for the same moment and come before the
// tool. Threads that come while a tool starts wait for it. A forked child goes to `over`: the tool
// is its parent's, and is not finalised there. Only if its parent had not used OpenMP, the child
// may have a tool of its own.
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

// Has the process used OpenMP? Once true, always true.
inline bool in_use() { return detail::phase.load(std::memory_order_relaxed) != detail::Phase::kUnasked; }

// Is there a tool? The first call is the process's first use of OpenMP, and starts the tool.
inline bool attached() {
    // Acquire: whoever finds a tool attached finds it initialised. [tool-1]
    const detail::Phase now = detail::phase.load(std::memory_order_acquire);
    if (TEFF_LIKELY(now == detail::Phase::kOver)) return false;
    return now == detail::Phase::kOn || detail::start_tool();
}

// Is there one now? Starts none.
inline bool is_attached() {
    return detail::phase.load(std::memory_order_acquire) == detail::Phase::kOn; // [tool-1]
}

// Ends the tool, in order: its callbacks are taken away, then it is finalised. Only the first call
// counts.
void finalize_tool();

// In a forked child.
void abandon_tool();

} // namespace teff::probe::ompt
