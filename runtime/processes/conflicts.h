// SPDX-License-Identifier: Apache-2.0
//
// Conflicts: bytes that two processes have changed, to different values, when neither knew of the
// other's change. In a conforming program that is only possible for atomic writes that are no
// read-modify-write; else it is a data race.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/memory_list.h"

namespace teff::processes {

// Appends those parts of `later` that overwrite bytes of `earlier`, as changes of their own.
// Returns the address of the first such byte; 0: there is none.
std::uint64_t find_conflicts(const std::byte* earlier, std::size_t earlier_bytes, const std::byte* later,
                             std::size_t later_bytes, List<std::byte>& conflicting);

} // namespace teff::processes
