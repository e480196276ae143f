// SPDX-License-Identifier: Apache-2.0
#include "team/probes.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "base/wakes.h"
#include "probe/ompt/records.h"
#include "probe/ompt/region_events.h"
#include "probe/ompt/tool.h"
#include "probe/stat/counters.h"
#include "probe/trace/recording.h"
#include "probe/trace/window.h"
#include "team/team.h"

namespace teff::team {

namespace {

void attach_tool(Worker& worker, bool of_program) {
    if (!probe::ompt::attached()) return;
    if (worker.ompt == nullptr) { // otherwise it has the record of the thread that had this worker before
        void* memory = std::malloc(sizeof(probe::ompt::ThreadRecord));
        if (memory == nullptr) base::fatal(ENOMEM, "no memory for what a tool keeps of a thread");
        worker.ompt = ::new (memory) probe::ompt::ThreadRecord;
    }
    probe::ompt::make_known(*worker.ompt);
    worker.probes.add(probe::kOmpt); // from here on the tool can query the thread; first in its callback
    probe::ompt::thread_begins(*worker.ompt, of_program ? ompt_thread_initial : ompt_thread_worker);
}

void attach_counters(Worker& worker) {
    worker.stat = probe::stat::open(worker.number);
    if (worker.stat == nullptr) return;
    worker.probes.add(worker.stat->since != 0 ? probe::kStat | probe::kTimes : probe::kStat);
}

// The thread may have lost its recording since.
void record_wake(void* own, const base::Wake& wake) {
    auto& stream = *static_cast<probe::trace::Stream*>(own);
    if (stream.is_heard()) stream.wake(wake);
}

void attach_wakes(const Worker& worker) {
    base::this_threads_wakes = {.record = traced(worker) ? record_wake : nullptr, .stream = worker.trace};
}

// `joins`: the worker joins the window, in which its stream has begun.
void attach_trace(Worker& worker, bool joins) {
    if (worker.trace != nullptr) {
        worker.trace->serve(worker.probes);
        const unsigned sinks = probe::kTrace | (worker.trace->counts_events() ? unsigned{probe::kFragments} : 0u);
        if (joins) worker.probes.add(sinks);
        if (!probe::trace::window::is_on()) worker.probes.remove(sinks); // [window-1]
    }
    attach_wakes(worker);
}

template <class Record> Record& made(Record*& record) {
    if (record != nullptr) return *record;
    void* memory = std::malloc(sizeof(Record));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for what a tool keeps of a team");
    return *(record = ::new (memory) Record);
}

} // namespace

void prepare_sites(const Worker& worker) {
    if (worker.member->team->level == 0) worker.trace->doubt_sites();
}

void attach_probes(Worker& worker, bool of_program) {
    worker.probes = 0;
    const bool joins = probe::trace::window::is_on();
    worker.trace = probe::trace::open_stream(worker.number, joins); // in a forked child, not the parent's stream
    attach_trace(worker, joins);
    attach_counters(worker);
    attach_tool(worker, of_program);
}

void detach_probes(Worker& worker) {
    if (observed(worker)) probe::ompt::thread_ends(*worker.ompt);
    if (traced(worker)) worker.trace->end_thread();
    else if (worker.trace != nullptr) worker.trace->leave_thread();
    if (counted(worker)) probe::stat::end_thread(*worker.stat);
    worker.probes = 0;
    base::this_threads_wakes = {}; // another thread may use the stream from here on
}

void join_window(Worker& worker, std::uint64_t initial_task) {
    if (worker.trace == nullptr || !probe::trace::window::is_on()) return;
    worker.trace->begin_window(probe::trace::window::number(), initial_task);
    // What was under way when the last window ended is not part of this one.
    worker.member->loop.chunk_iterations = 0;
    worker.member->loop.ordered_site = nullptr;
    if (initial_task != 0) worker.member->team->recording.leader_started = base::ticks();
    attach_trace(worker, true);
    if (initial_task != 0 && counts_fragments(worker)) worker.trace->fragment_begins(initial_task, false);
}

base::Ticks end_of_cut_wait(const Worker& worker, base::Ticks began) {
    if (worker.trace == nullptr || began <= 1) return 0; // no time was read
    const base::Ticks ended = worker.trace->silenced_at();
    return began < ended ? ended : 0;
}

void leave_window(Worker& worker) {
    worker.probes.remove(probe::kTrace | probe::kFragments);
    attach_wakes(worker);
}

void note_fork(Worker& worker) { worker.trace_chunk = worker.trace != nullptr ? worker.trace->chunk() : nullptr; }

void begin_probes_anew(Worker& worker, std::uint64_t task) {
    if (worker.trace_chunk != nullptr) probe::trace::stand_in_for_chunk(worker.trace_chunk);
    worker.probes = 0;
    worker.trace = probe::trace::begin_anew(worker.number, task);
    attach_trace(worker, probe::trace::window::is_on());
    attach_counters(worker);
    if (counted(worker)) worker.stat->state = TEFF_STAT_USER; // the task continues
    if (worker.trace != nullptr) worker.member->team->recording.leader_started = base::ticks();
    if (counts_fragments(worker)) worker.trace->fragment_begins(task, false);
}

probe::ompt::ParallelRecord& parallel_record(Team& team) { return made(team.tool.record); }

probe::ompt::TaskRecord& task_record(Member& member) { return made(member.task_record); }

} // namespace teff::team
