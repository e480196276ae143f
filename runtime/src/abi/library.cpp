// SPDX-License-Identifier: Apache-2.0
//
// The start and the end of the library: what it does when the dynamic linker has loaded it, and
// what it does at exit.
#include <unistd.h>

#include "abi/acc_profiling.h"
#include "abi/affinity_format.h"
#include "abi/precedence.h"
#include "abi/start_up.h"
#include "base/atomics.h"
#include "base/report.h"
#include "device/role.h"
#include "icv/devices.h"
#include "icv/display.h"
#include "icv/icv.h"
#include "idle/limits.h"
#include "preempt/preempt.h"
#include "probe/ompt/tool.h"
#include "probe/stat/counters.h"
#include "probe/trace/recording.h"
#include "region/adopt.h"
#include "region/binding.h"
#include "region/linger.h"
#include "task/moving.h"
#include "task/preemption.h"
#include "team/contexts.h"
#include "team/pool.h"
#include "team/probes.h"
#include "topo/cgroup.h"
#include "topo/process_places.h"
#include "topo/processors.h"

extern char** environ;

namespace teff::abi {

namespace {

void note_memory_groups(probe::trace::MemoryGroups& groups) {
    const auto add = [](void* to, const topo::GroupFolders& folders) {
        const bool v2 = folders.version == topo::CgroupVersion::v2;
        static_cast<probe::trace::MemoryGroups*>(to)->add(folders.innermost, folders.levels,
                                                          v2 ? "memory.max" : "memory.limit_in_bytes",
                                                          v2 ? "memory.current" : "memory.usage_in_bytes");
    };
    topo::for_each_hierarchy("", "memory", add, &groups);
}

// Called when the settings have been read: by at_load, and by what changes them before the process
// uses OpenMP.
void use_settings() {
    if (device::role().usable != 0) icv::have_devices();
    make_initial_allocator();
    topo::initialise_places();
    region::initialise_binding([] { print_affinity({}); });
    idle::initialise(topo::usable_processors()); // of which KMP_HW_SUBSET may leave fewer
}

// For the recording. A forked child, which has a recording of its own, has no devices.
void note_devices() {
    const device::Role& role = device::role();
    if (role.transport == nullptr) return;
    const int number = role.is_device ? static_cast<int>(role.number) : probe::trace::Launch::kHost;
    probe::trace::note_devices({.count = role.devices, .number = number, .transport = role.transport});
}

constinit bool has_defaults = false; // of the program: set_defaults

// libomp reads the environment at the first use of OpenMP, libgomp when it is loaded. A program
// that was linked with libomp may set variables in between. No thread is bound yet, and places
// found at load may be those of a KMP_HW_SUBSET that is set no more.
void follow_environment() {
    if (has_defaults) return; // as in libomp, which reads the environment before it takes defaults
    base::HeldWords held{base::HeldWords::Again{}};
    if (!icv::read_again(environ, topo::usable_without_places(), icv::Precedence::of_libomp)) return;
    use_settings();
    icv::hold_display(held, icv::global());
}

[[gnu::constructor(101)]] void at_load() {
    idle::begin_to_measure();
    base::HeldWords held; // until the process uses OpenMP
    base::initialise_fences();
    const icv::Precedence precedence = precedence_of_program();
    icv::initialise(environ, topo::usable_processors(), precedence, device::future_device());
    write_affinity_as(precedence);
    if (precedence == icv::Precedence::of_libomp) probe::ompt::begin_first_use_with(follow_environment);
    device::take_role();
    use_settings();
    region::initialise_adoption();
    team::prepare_contexts();
    declare_threadprivate_functions();
    task::initialise_preemption();
    initialise_tool_inquiries();
    team::set_worker_main(region::worker_main);
    probe::trace::announce_recording(topo::usable_processors(), note_memory_groups);
    note_devices();
    watch_for_forks();
    preempt::prepare();
    task::prepare_moving();
    icv::hold_display(held, icv::global());
    acc::profiling::load_libraries();
}

[[gnu::destructor(101)]] void at_unload() {
    team::Worker* worker = team::current_worker_if_any();
    region::end_all_events(worker);
    probe::trace::finish_recording(worker != nullptr ? worker->trace : nullptr);
    probe::stat::finish();
    probe::ompt::finalize_tool();
}

} // namespace

bool set_defaults(std::string_view text) {
    if (probe::ompt::in_use() || team::current_worker_if_any() != nullptr) return false;
    const icv::Precedence precedence = precedence_of_program();
    if (precedence == icv::Precedence::of_libomp) follow_environment();
    has_defaults = true;
    base::HeldWords held{base::HeldWords::Again{}};
    icv::set_defaults(text, topo::usable_without_places(), precedence);
    use_settings();
    icv::hold_display(held, icv::global());
    return true;
}

} // namespace teff::abi
