// SPDX-License-Identifier: Apache-2.0
// The places of the process, from OMP_PLACES, GOMP_CPU_AFFINITY and OMP_PROC_BIND, and the binding
// of threads to them.
//
// Owner: this module owns the list of places, static and never freed. `initialise_places` writes it
// once, in the library's constructor, before any other thread of the runtime exists; from then on
// any thread reads it without synchronisation.
//
// There are places if and only if threads are to be bound. Nothing of the machine is read unless
// the environment asks for that.
#pragma once

#include <span>

#include "topo/processor_set.h"

namespace teff::topo {

namespace detail {
extern constinit std::span<const ProcessorSet> process_places;
} // namespace detail

inline std::span<const ProcessorSet> places() { return detail::process_places; }
inline bool has_places() { return !detail::process_places.empty(); }

// Call after icv::initialise. Warns about values that make no sense. Binds nobody: a thread is
// bound when it becomes a worker.
void initialise_places();

// What the affinity mask of the process held then; 0 if there are no places.
unsigned processors_before_binding();

// Lets the calling thread run on the processors of this place alone.
void bind_this_thread(unsigned place);

} // namespace teff::topo
