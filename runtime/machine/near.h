// SPDX-License-Identifier: Apache-2.0
//
// Provides the runtime's sources with a modelled machine in place of the real machine: the
// distances between the nodes, the node of a thread, and the home nodes of tasks. The runtime's own
// sources compute all three (mem/near_nodes.h, task/footprint.h).
#pragma once

#include <memory>
#include <vector>

#include "machine/placed.h"
#include "machine/topology.h"
#include "mem/near_nodes.h"
#include "sched/runnable.h"

namespace teff::machine {

// Describes the nodes that are not spare. Null if there are more nodes than the runtime supports.
std::unique_ptr<mem::NearNodes> near_nodes(const Description& description, const Topology& topology);

// The index of the running core's node among these nodes.
unsigned near_node_of_running_core();

// Returns the home of each task.
std::vector<sched::Home> homes(const Program& program, const Placed& placed, const Description& description,
                               const mem::NearNodes& nodes);

} // namespace teff::machine
