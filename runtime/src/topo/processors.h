// SPDX-License-Identifier: Apache-2.0
// How many processors the process may really use.
//
// Two limits determine this number: the affinity mask, and the processor time that the control
// groups grant to the process (a container's CPU limit). If a team has more threads than the
// smaller of the two limits, its threads only wait for each other.
//
// Each call asks the kernel for the calling thread's mask. But if threads are bound to places, the
// functions that count processors use the process's mask from before the binding. The quota is in
// files, which are read at most ten times a second, because dynamic adjustment needs the quota in
// every region. A limit that cannot be found is ignored. No function is a cancellation point.
#pragma once

#include "topo/processor_set.h"

namespace teff::topo {

// Returns the affinity mask of the calling thread; an empty set if the kernel does not tell it.
ProcessorSet affinity_mask();

// Sets the affinity mask of the calling thread. Returns false if the kernel refuses.
bool set_affinity_mask(const ProcessorSet& mask);

// Returns the number of processors in the affinity mask; at least 1. omp_get_num_procs returns this
// number.
int affinity_processors();

// Returns the smaller of affinity_processors() and the control groups' quota in processors, rounded
// up; at least 1. This number is the default team size.
int usable_processors();

// Returns what usable_processors() returned if there were no places: places may be a part of the
// affinity mask (KMP_HW_SUBSET). Called before threads are bound.
int usable_without_places();

} // namespace teff::topo
