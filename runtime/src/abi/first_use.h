// SPDX-License-Identifier: Apache-2.0
//
// The first use of OpenMP in the process, by a routine. (By a construct or a lock: the probes ask.)
//
// Loaded into a process, the library reads the environment and does nothing that anyone could see:
// it may have been preloaded into a shell, whose children would inherit a binding. With the first
// use, the process gets what the environment asks for: what there is to display, the tool, and for
// the calling thread its place.
#pragma once

#include "probe/ompt/tool.h"
#include "team/worker.h"
#include "topo/process_places.h"

namespace teff::abi {

namespace detail {

// A tool hears of the thread, and a place binds it, when it becomes a worker.
TEFF_COLD inline void begin_use() {
    if (probe::ompt::attached() || topo::has_places()) team::current_worker();
}

} // namespace detail

// Each routine that does not need the calling thread's worker comes here, one way or another.
inline void first_use() {
    if (TEFF_UNLIKELY(!probe::ompt::in_use())) detail::begin_use();
}

// The calling thread's worker. Null: OpenMP does not know the thread.
inline const team::Worker* known_worker() {
    const team::Worker* worker = team::current_worker_if_any();
    if (TEFF_LIKELY(worker != nullptr)) return worker;
    first_use();
    return team::current_worker_if_any();
}

} // namespace teff::abi
