// SPDX-License-Identifier: Apache-2.0
//
// The library's beginning and end: what happens when the dynamic linker has loaded it, at exit, and in a forked child.
#include <pthread.h>
#include <unistd.h>

#include "abi/affinity_format.h"
#include "abi/ompt_machine.h"
#include "base/atomics.h"
#include "icv/icv.h"
#include "mem/block_cache.h"
#include "probe/ompt/tool.h"
#include "probe/trace/recording.h"
#include "region/adopt.h"
#include "region/binding.h"
#include "region/linger.h"
#include "task/spin.h"
#include "team/pool.h"
#include "team/probes.h"
#include "topo/process_places.h"
#include "topo/processors.h"

extern char** environ;

namespace teff::abi {

namespace {

// The child has one thread, the one that forked. It starts with no workers and builds its pool anew at its first region; a team that the
// forking thread led keeps only its leader.
void in_forked_child() {
    probe::trace::abandon_recording();
    probe::ompt::abandon_tool();
    base::initialise_fences();
    mem::forget_other_threads();
    team::forget_other_threads();
    team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr) return;
    team::abandon_probes(*worker);
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
    initialise_tool_inquiries();
    team::set_worker_main(region::worker_main);
    probe::trace::announce_recording(processors);
    pthread_atfork(nullptr, nullptr, in_forked_child);
}

[[gnu::destructor(101)]] void at_unload() {
    team::Worker* worker = team::current_worker_if_any();
    if (worker != nullptr) region::end_events(*worker);
    probe::trace::finish_recording(worker != nullptr ? worker->trace : nullptr);
    probe::ompt::finalize_tool();
}

} // namespace

} // namespace teff::abi
