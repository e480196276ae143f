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
    worker.probes |= probe::kOmpt; // from here on the tool can query the thread; first in its callback
    probe::ompt::thread_begins(*worker.ompt, of_program ? ompt_thread_initial : ompt_thread_worker);
}

void attach_counters(Worker& worker) {
    worker.stat = probe::stat::open(worker.number);
    if (worker.stat == nullptr) return;
    worker.probes |= worker.stat->since != 0 ? probe::kStat | probe::kTimes : probe::kStat;
}

void record_wake(void* stream, const base::Wake& wake) { static_cast<probe::trace::Stream*>(stream)->wake(wake); }

void attach_wakes(const Worker& worker) {
    base::this_threads_wakes = {.record = traced(worker) ? record_wake : nullptr, .stream = worker.trace};
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
    worker.trace = probe::trace::open_stream(worker.number); // in a forked child, not the parent's stream
    worker.probes = 0;
    if (worker.trace != nullptr) worker.probes |= probe::kTrace;
    attach_wakes(worker);
    attach_counters(worker);
    attach_tool(worker, of_program);
}

void detach_probes(Worker& worker) {
    if (observed(worker)) probe::ompt::thread_ends(*worker.ompt);
    if (traced(worker)) worker.trace->end_thread();
    if (counted(worker)) probe::stat::end_thread(*worker.stat);
    worker.probes = 0;
    attach_wakes(worker);
}

void note_fork(Worker& worker) { worker.trace_chunk = traced(worker) ? worker.trace->chunk() : nullptr; }

void begin_probes_anew(Worker& worker, std::uint64_t task) {
    if (worker.trace_chunk != nullptr) probe::trace::stand_in_for_chunk(worker.trace_chunk);
    worker.trace = probe::trace::begin_anew(worker.number, task);
    worker.probes = worker.trace != nullptr ? std::uint8_t{probe::kTrace} : std::uint8_t{0};
    attach_wakes(worker);
    attach_counters(worker);
    if (counted(worker)) worker.stat->state = TEFF_STAT_USER; // the task continues
    if (worker.trace != nullptr) worker.member->team->recording.leader_started = base::ticks();
}

probe::ompt::ParallelRecord& parallel_record(Team& team) { return made(team.tool.record); }

probe::ompt::TaskRecord& task_record(Member& member) { return made(member.task_record); }

} // namespace teff::team
