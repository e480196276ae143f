// SPDX-License-Identifier: Apache-2.0
// The share of the last-level cache that a processor has, according to the kernel.
#pragma once

#include <cstddef>

namespace teff::topo {

// Returns the size of the last-level cache of processor 0 in bytes, divided by the number of
// processors that share this cache; 0 if the kernel does not tell. A pure function of the files
// below `root`.
std::size_t cache_share_bytes(const char* root);

} // namespace teff::topo
