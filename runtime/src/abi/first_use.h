// SPDX-License-Identifier: Apache-2.0
//
// Handles the process's first use of OpenMP if this use is a call of a routine. (If the first use
// is a construct or a lock, the probes handle it.)
//
// When the library is loaded, it reads the environment but has no visible effect. The reason is
// that it may have been preloaded into a shell, whose children would inherit a binding. At the
// first use of OpenMP the runtime does what the environment asks for: it prints the texts to be
// displayed, starts the tool, and binds the calling thread to its place. If the program was linked
// with libomp, the runtime first reads the environment again (library.cpp); so a routine must not
// read an ICV before it calls one of these functions.
#pragma once

#include "probe/ompt/tool.h"
#include "team/worker.h"
#include "topo/process_places.h"

namespace teff::abi {

namespace detail {

// Begins the use of OpenMP: attached() starts the tool. The calling thread becomes a worker if
// there is a tool, which is then notified of the thread, or if there are places, to one of which
// the thread is then bound.
TEFF_COLD inline void begin_use() {
    if (probe::ompt::attached() || topo::has_places()) team::current_worker();
}

} // namespace detail

// Called, directly or through other functions, by each routine that does not need the calling
// thread's worker.
inline void first_use() {
    if (TEFF_UNLIKELY(!probe::ompt::in_use())) detail::begin_use();
}

// Returns the calling thread's worker; null if the thread is not a worker.
inline const team::Worker* known_worker() {
    const team::Worker* worker = team::current_worker_if_any();
    if (TEFF_LIKELY(worker != nullptr)) return worker;
    first_use();
    return team::current_worker_if_any();
}

} // namespace teff::abi
