// SPDX-License-Identifier: Apache-2.0
#include "region/recording_window.h"

#include "base/clock.h"
#include "probe/trace/nth_regions.h"
#include "probe/trace/recording.h"
#include "probe/trace/window.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::region {

namespace {

bool is_outside_of_regions(const team::Worker& worker) {
    return worker.member != &team::nowhere && worker.member->team->level == 0 && worker.task != nullptr;
}

void join_if_outside(team::Worker& worker) {
    if (is_outside_of_regions(worker) && probe::trace::window::is_on() && !team::traced(worker))
        team::join_window(worker, worker.task->id);
}

// Only some regions are recorded.
void follow_region(team::Worker& worker, const void* code, bool others_at_work) {
    if (probe::trace::nth_regions::is_nth(code, probe::trace::window::every())) probe::trace::begin_window_by_region();
    else if (!others_at_work) probe::trace::end_window_by_region(worker.trace);
    join_if_outside(worker);
    probe::trace::nth_regions::add_to_totals(team::traced(worker));
}

} // namespace

void follow_window(team::Worker& worker, const void* code, bool others_at_work) {
    if (!is_outside_of_regions(worker)) return;
    if (probe::trace::window::is_delay_over()) (void)probe::trace::begin_window();
    probe::trace::end_window_if_over(worker.trace);
    if (probe::trace::window::is_by_region()) follow_region(worker, code, others_at_work);
    else join_if_outside(worker);
}

void follow_leader(team::Worker& worker, const team::Team& team) {
    if (team.recorded) team::join_window(worker, 0);
    else team::leave_window(worker);
}

bool start_recording(team::Worker& worker) {
    if (probe::trace::window::is_ended_for_good()) return false;
    (void)probe::trace::begin_window();
    join_if_outside(worker);
    return true;
}

void stop_recording(team::Worker& worker) {
    if (worker.trace != nullptr) worker.trace->fragment_ends();
    (void)probe::trace::end_window(worker.trace, base::ticks());
}

void end_recording(team::Worker& worker) {
    probe::trace::window::end_for_good();
    stop_recording(worker);
}

} // namespace teff::region
