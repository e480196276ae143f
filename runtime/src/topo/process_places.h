// SPDX-License-Identifier: Apache-2.0
// The places of the process, which follow from OMP_PLACES, GOMP_CPU_AFFINITY and OMP_PROC_BIND, and
// the binding of threads to these places. KMP_HW_SUBSET leaves a part of the machine for all of
// this; without binding, this part is the only place, which all threads share.
//
// Owner: this module owns the list of places, which is never freed. `initialise_places` writes the
// list once, in the library's constructor, before any other thread of the runtime exists. From then
// on any thread reads the list without synchronisation.
//
// The list is empty if and only if threads may run on all processors of the process.
// `initialise_places` reads the machine's topology and the affinity mask only if the environment
// asks for binding or for a part of the machine.
#pragma once

#include <span>

#include "topo/processor_set.h"

namespace teff::topo {

namespace detail {
extern constinit std::span<const ProcessorSet> process_places;
} // namespace detail

inline std::span<const ProcessorSet> places() { return detail::process_places; }
inline bool has_places() { return !detail::process_places.empty(); }

// Computes the list of places. Called by the library's constructor, after icv::initialise, and
// again if the program changes the settings before it uses OpenMP. Warns about values that are not
// valid. Does not bind any thread: a thread is bound when it becomes a worker.
void initialise_places();

// Returns the number of processors in the affinity mask of the process when `initialise_places`
// ran, without those that KMP_HW_SUBSET leaves out; 0 if there are no places.
unsigned processors_before_binding();

// Restricts the calling thread to the processors of this place. Requires `place` < places().size().
// If the kernel refuses, the thread stays where it is; the process warns about this once.
void bind_this_thread(unsigned place);

} // namespace teff::topo
