// SPDX-License-Identifier: Apache-2.0
//
// Makes a thread that the program has started a worker when the thread first uses OpenMP, and
// handles the thread's end. (team::current_worker calls adopt_this_thread, which is declared in
// team/worker.h. The function is defined here because a worker needs a team and an initial task.)
#include <cerrno>
#include <pthread.h>

#include "base/report.h"
#include "probe/ompt/tool.h"
#include "region/adopt.h"
#include "region/events.h"
#include "region/team_setup.h"
#include "task/preemption.h"
#include "task/wait.h"
#include "team/pool.h"
#include "team/probes.h"

namespace teff::region {

namespace {

pthread_key_t thread_end;
// The last step of an adopted thread for OpenMP. The threads of its teams end with it: they serve
// no other thread (team/pool.h), and a process must end with the last of the program's own threads.
void at_thread_end(void* value) {
    auto& worker = *static_cast<team::Worker*>(value);
    // The thread was cancelled, or left, inside a region. This region never ends. Its data stay as
    // they are, for the other threads in the region.
    if (worker.member->team->level > 0) return team::set_current_worker(nullptr);
    team::set_current_worker(&worker); // destructors of other keys may have asked for the worker in between
    task::end_preemptible(worker);
    task::run_what_is_ready(worker); // no later barrier would run these tasks
    end_events(worker);
    leave_root_team(worker);
    release_idle_threads(&worker);
    team::set_current_worker(nullptr);
    team::retire_worker(worker);
}

} // namespace

void initialise_adoption() {
    const int error = pthread_key_create(&thread_end, at_thread_end);
    if (error != 0) base::fatal(error, "no thread-specific key for the end of threads");
}

void adopt_worker(team::Worker& worker) {
    enter_root_team(worker); // called first: signal handlers may create tasks from here on
    team::set_current_worker(&worker);
    pthread_setspecific(thread_end, &worker);
    team::attach_probes(worker, true);
    task::begin_preemptible(worker);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::initial_task_begins(worker);
}

void end_events(team::Worker& worker) {
    if (worker.probes != 0 && events::initial_task_ends(worker)) team::detach_probes(worker);
}

void end_all_events(team::Worker* worker) {
    const bool leads = worker != nullptr && events::in_initial_task(*worker);
    if (probe::ompt::is_attached()) {
        if (leads) release_threads(*worker);
        else release_idle_threads(nullptr);
        team::wait_for_retired();
    }
    if (worker != nullptr) end_events(*worker);
}

void end_tools_events() {
    team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr || !events::tool_may_leave(*worker)) return;
    release_threads(*worker);
    team::wait_for_retired();
    events::tool_leaves(*worker);
}

} // namespace teff::region

namespace teff::team::detail {

Worker& adopt_this_thread() {
    (void)probe::ompt::attached(); // a tool starts before it gets the thread's begin
    Worker& worker = make_worker();
    region::adopt_worker(worker);
    return worker;
}

} // namespace teff::team::detail
