// SPDX-License-Identifier: Apache-2.0
//
// Small types of regions that both their code and their sinks of events need (events.h).
#pragma once

#include <cstdint>

namespace teff::region {

enum class BarrierKind : std::uint8_t {
    kExplicit,       // a barrier construct
    kImplicit,       // the end of a work-sharing construct
    kImplementation, // one that the program does not know of
};

struct League {
    unsigned teams = 1;
    unsigned number = 0; // of the team that runs now
};

// The target task around a target region: one that is included in the task that met the construct,
// or the current task, which was deferred.
enum class TargetTask : std::uint8_t { kIncluded, kDeferred };

} // namespace teff::region
