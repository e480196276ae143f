// SPDX-License-Identifier: Apache-2.0
// How many processors the process may really use.
//
// Two facts limit it: the affinity mask, and the processor time that the control groups of the
// process grant it (a container's CPU limit). A team larger than the smaller of the two only makes
// its threads wait for each other.
//
// Each call asks the kernel for the mask. If threads are bound to places, the process's mask before
// the binding counts, not that of the thread. The quota is in files, which are read at most ten
// times a second, since dynamic adjustment asks for it in every region. If a limit cannot be found,
// it does not count. No cancellation points.
#pragma once

#include "topo/processor_set.h"

namespace teff::topo {

// The affinity mask of the calling thread; empty if the kernel does not tell.
ProcessorSet affinity_mask();

// Sets it. False: the kernel refuses.
bool set_affinity_mask(const ProcessorSet& mask);

// Processors in the affinity mask; at least 1. This is what omp_get_num_procs returns.
int affinity_processors();

// The same, cut by the control groups' quota (rounded up); at least 1. This is the default team
// size.
int usable_processors();

} // namespace teff::topo
