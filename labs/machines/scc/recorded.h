// SPDX-License-Identifier: Apache-2.0
//
// A run of parallel regions on the modelled SCC as a recording: each core, and each link of the
// mesh, is a worker of it. A link's traffic is summed up over short stretches.
#pragma once

#include <string>

#include "machines/scc/costs.h"

namespace teff::machine::scc {

// Into the new folder `path`. What went wrong, or an empty text.
std::string record_regions(const Costs& costs, std::uint64_t seed, const std::string& path);

} // namespace teff::machine::scc
