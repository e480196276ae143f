// SPDX-License-Identifier: Apache-2.0
// Places by the shape of the machine, as the kernel describes it below /sys/devices/system.
//
// Pure functions of the files below `root`: "" for the real ones, another folder for a test's. What
// the kernel does not tell makes the smallest place that is certainly right: a processor of its
// own.
#pragma once

#include "topo/place_list.h"

namespace teff::topo {

// The abstract names of the specification (5.2, section 21.1.6).
enum class Level : std::uint8_t { threads, cores, ll_caches, sockets, numa_domains };

// Appends the first `limit` places of this level, or all there are, in the order of their lowest
// processors. Only processors in `allowed` count.
void append_level(Level level, const ProcessorSet& allowed, unsigned limit, const char* root, PlaceList& places);

} // namespace teff::topo
