// SPDX-License-Identifier: Apache-2.0
//
// Measures barriers on a modelled machine: how long a round takes, and how many cache lines it
// moves.
//
// The barriers are the runtime's own sources, compiled with the machine's atomics. The two barriers
// that programs can choose are used as in region/team_protocol.h, with members that poll all the
// time. Each barrier of the family is used with its two phases. The members are cores in order, and
// only execute barriers. A figure is the difference between many rounds and a few, which removes
// the costs of the first rounds.
#pragma once

#include <string>
#include <vector>

#include "machine/description.h"

namespace teff::machine {

struct BarrierCost {
    std::string name;
    bool of_runtime = false; // as TEFF_BARRIER offers it; else of the family, in two phases
    unsigned cores = 0;
    double cycles = 0;    // of a round
    double transfers = 0; // of lines, in a round
};

// Returns the cost of each barrier on `cores` cores. The groups of combining barriers are those
// that the runtime makes or, if `fan_in` is given, have `fan_in` members each.
std::vector<BarrierCost> barrier_costs(const Description& description, unsigned cores, unsigned fan_in = 0);

// Returns the numbers of cores 2, 4, 8 ... and the number of all cores.
std::vector<unsigned> core_counts(const Description& description);

} // namespace teff::machine
