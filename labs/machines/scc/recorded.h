// SPDX-License-Identifier: Apache-2.0
//
// Records a run of parallel regions on the modelled SCC: each core, and each link of the mesh, is a
// worker of the recording. The traffic of a link is summed up over short intervals.
#pragma once

#include <string>

#include "machines/scc/costs.h"

namespace teff::machine::scc {

// Records into the new folder `path`. Returns what went wrong, or an empty text.
std::string record_regions(const Costs& costs, std::uint64_t seed, const std::string& path);

} // namespace teff::machine::scc
