// SPDX-License-Identifier: Apache-2.0
//
// Measures loops on a modelled machine: how long a loop takes over data that a static loop has
// touched first.
//
// The schedules are the runtime's own, compiled from their shipped source with the machine's
// atomics. An iteration reads its block of data, computes, and writes the block back. The block
// lies on the node of the member to which a static loop would give the iteration. The caches are
// empty when the loop begins. The loop ends when the last member finds no more iterations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/description.h"

namespace teff::machine {

// Each of the `count` iterations computes `operations` operations; the iterations of the first half
// compute `slower` times as many.
struct LoopSpec {
    std::uint64_t count = 0;
    double operations = 0;
    double slower = 1;
};

struct LoopCost {
    std::string schedule;
    double cycles = 0;
    double local = 0; // the part of the iterations that ran on the node of their data
};

// Returns the costs of the schedules static, stealing (which is schedule(dynamic)) and both
// affinity schedules, in chunks of one.
std::vector<LoopCost> loop_costs(const Description& description, const LoopSpec& spec);

} // namespace teff::machine
