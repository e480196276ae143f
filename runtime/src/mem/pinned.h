// SPDX-License-Identifier: Apache-2.0
// Pinned memory: memory that the kernel keeps in RAM. Each allocation consists of separate whole
// pages. The system limits the amount of pinned memory of a process (RLIMIT_MEMLOCK).
#pragma once

#include <cstddef>

namespace teff::mem {

// Allocates `bytes` bytes, rounded up to whole pages, filled with zeros. Returns null if the system
// does not let the process map or pin them.
void* map_pinned(std::size_t bytes);

// Frees pinned memory. `bytes` is the number that was passed to map_pinned.
void unmap_pinned(void* memory, std::size_t bytes);

} // namespace teff::mem
