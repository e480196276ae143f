// SPDX-License-Identifier: Apache-2.0
//
// What the runtime knows of the machine it is on, told of a modelled one: how near the nodes lie to
// each other, where a thread is, and where tasks are at home. The runtime's own sources decide all
// that (mem/near_nodes.h, task/footprint.h).
#pragma once

#include <memory>
#include <vector>

#include "machine/placed.h"
#include "machine/topology.h"
#include "mem/near_nodes.h"
#include "sched/runnable.h"

namespace teff::machine {

// Of the nodes that are not spare. Null: they are more than the runtime knows.
std::unique_ptr<mem::NearNodes> near_nodes(const Description& description, const Topology& topology);

// Of the core that runs: its node's index there.
unsigned near_node_of_running_core();

// Of each task.
std::vector<sched::Home> homes(const Program& program, const Placed& placed, const Description& description,
                               const mem::NearNodes& nodes);

} // namespace teff::machine
