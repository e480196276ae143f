// SPDX-License-Identifier: Apache-2.0
// Memory that the kernel keeps in place: whole pages, separate for each allocation. The system
// limits how much there may be (RLIMIT_MEMLOCK).
#pragma once

#include <cstddef>

namespace teff::mem {

// So many bytes, rounded up to pages, filled with zeros. Null: the system does not let the process
// have or pin them.
void* map_pinned(std::size_t bytes);

// The same number of bytes as were asked for.
void unmap_pinned(void* memory, std::size_t bytes);

} // namespace teff::mem
