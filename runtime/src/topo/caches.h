// SPDX-License-Identifier: Apache-2.0
// How much cache a processor has for itself, according to the kernel.
#pragma once

#include <cstddef>

namespace teff::topo {

// The last-level cache of processor 0, divided by the processors that share it; 0 if the kernel
// does not tell. A pure function of the files below `root`.
std::size_t cache_share_bytes(const char* root);

} // namespace teff::topo
