// SPDX-License-Identifier: Apache-2.0
//
// The library's beginning and end: what happens when the dynamic linker has loaded it, at exit, and in a forked child.
#include <pthread.h>
#include <unistd.h>

#include "abi/affinity_format.h"
#include "base/atomics.h"
#include "icv/icv.h"
#include "mem/block_cache.h"
#include "probe/trace/recording.h"
#include "region/adopt.h"
#include "region/binding.h"
#include "region/linger.h"
#include "task/spin.h"
#include "team/pool.h"
#include "topo/process_places.h"
#include "topo/processors.h"

extern char** environ;

namespace teff::abi {

namespace {

// The child has one thread, the one that forked. It starts with no workers and builds its pool anew at its first region; a team that the
// forking thread led keeps only its leader.
void in_forked_child() {
    probe::trace::abandon_recording();
    base::initialise_fences();
    mem::forget_other_threads();
    team::forget_other_threads();
    team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr) return;
    worker->trace = nullptr;
    region::forget_teams(*worker);
}

[[gnu::constructor(101)]] void at_load() {
    base::initialise_fences();
    const int processors = topo::usable_processors();
    icv::initialise(environ, processors);
    topo::initialise_places();
    icv::display_if_asked();
    region::initialise_binding([] { print_affinity({}); });
    task::initialise_spin(processors);
    region::initialise_adoption();
    team::set_worker_main(region::worker_main);
    probe::trace::announce_recording(processors);
    pthread_atfork(nullptr, nullptr, in_forked_child);
}

[[gnu::destructor(101)]] void at_unload() {
    team::Worker* worker = team::current_worker_if_any();
    if (worker != nullptr) region::record_end_of_initial_task(*worker);
    probe::trace::finish_recording(worker != nullptr ? worker->trace : nullptr);
}

} // namespace

} // namespace teff::abi
