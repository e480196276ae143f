// SPDX-License-Identifier: Apache-2.0
//
// Loops on a modelled machine: what a loop takes over data that a static loop has touched first.
//
// The schedules are the runtime's own, from their shipped source over the machine's atomics. An
// iteration gets its block of data, which lies on the node of the member that a static loop gives
// it to, computes, and writes it back. Nothing is in the caches when the loop begins; its end is
// when the last member finds nothing more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/description.h"

namespace teff::machine {

// Each of `count` iterations computes so many operations; those of the first half `slower` times as
// many.
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

// Static, stealing (what schedule(dynamic) is), and both affinity schedules, in chunks of one.
std::vector<LoopCost> loop_costs(const Description& description, const LoopSpec& spec);

} // namespace teff::machine
