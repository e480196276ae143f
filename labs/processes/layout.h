// SPDX-License-Identifier: Apache-2.0
//
// Where the shared memory lies: one reserved range of addresses, the same in all processes.
//
//     heap arena of process 0 | of process 1 | ... | stack of process 0 | of process 1 | ...
//
// Each process allocates memory from an arena of its own, so that no two processes allocate the
// same address, and runs the program on a stack of its own. Below each stack lies a guard. All
// processes may read and write the whole range; their changes are exchanged (memory.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::processes {

inline constexpr unsigned kMostProcesses = 64;
inline constexpr std::size_t kPage = 4096;

inline constexpr std::uintptr_t kSharedBase = 0x2000'0000'0000;
inline constexpr std::size_t kArenaSpan = std::size_t{1} << 36;
inline constexpr std::size_t kStackSpan = std::size_t{1} << 28;

inline constexpr std::uintptr_t arena_start(unsigned rank) { return kSharedBase + rank * kArenaSpan; }
inline constexpr std::uintptr_t stack_start(unsigned rank, unsigned processes) {
    return arena_start(processes) + rank * kStackSpan;
}
inline constexpr std::uintptr_t shared_end(unsigned processes) { return stack_start(processes, processes); }

} // namespace teff::processes
