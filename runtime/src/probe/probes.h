// SPDX-License-Identifier: Apache-2.0
// The sinks that a worker's events can go to. Every event point tests the worker's mask of them, by
// one predicted branch.
#pragma once

#include <cstdint>

namespace teff::probe {

enum Probe : std::uint8_t {
    kTrace = 1, // trace/: a recording is on
    kOmpt = 2,  // ompt/: a tool is attached
};

} // namespace teff::probe
