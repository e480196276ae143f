// SPDX-License-Identifier: Apache-2.0
//
// Team and Member: who runs a parallel region.
//
// A Member is one thread's place in a team: its number, its lane in the scheduler, its counters. A
// member may itself lead a nested region; the team for that hangs at Member::inner and is kept,
// with its workers, for the next one. A thread outside any region is member 0 of a team of one at
// level 0.
//
// Owned by the leader (member 0's thread): it alone sets up a Team, between regions. Each section
// of Team and Member says who may touch it during a region. Teams and members are kept until the
// leading thread ends and then reused, never freed: a late look finds a valid record.
//
// How many tasks are outstanding in the team: each member counts what it created and what it
// finished (plain, own cache line). Whoever sums up all `finished` first and all `created` second
// and finds them equal, after every member has arrived, knows that no task was left when it began
// (Mattern, Distributed Computing 1987, counting with monotonic sums). See region/team_protocol.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "icv/icv.h"
#include "sched/scheduler.h"
#include "sync/barriers/groups.h"
#include "team/worker.h"

namespace teff::task {
struct Taskgroup;
}
namespace teff::probe::ompt {
struct ParallelRecord;
struct TaskRecord;
} // namespace teff::probe::ompt
namespace teff::loop {
struct Ring;
struct WorkShare;
} // namespace teff::loop

namespace teff::team {

struct Team;

// A member's place in the sequence of work-sharing constructs; used by loop/ alone.
struct LoopPlace {
    loop::WorkShare* current = nullptr; // the construct that it is in, or null
    std::uint64_t sequence = 0;         // how many constructs it has met in this region
    std::uint64_t singles = 0;          // how many `single` constructs it has met in this region
    std::uint64_t static_trip = 0;      // static and affinity schedules: how many chunks it has asked for
    bool took_last = false;             // stealing and affinity schedules: it has had the last chunk of the loop
    std::uint64_t ordered_first = 0;    // ordered: number of the first iteration of its chunk
    std::uint64_t ordered_count = 0;
    std::uint64_t chunk_start_ticks = 0; // recording: when its current chunk began
    std::uint64_t chunk_first = 0, chunk_iterations = 0;
    std::uint64_t enter_ticks = 0;
    // Recording: when its turn last came after a wait of so long, or an ordered region began; the
    // wait is 0 for one that had the turn.
    std::uint64_t turn_ticks = 0, turn_waited_ticks = 0;
    const void* ordered_site = nullptr; // of the ordered region that it is in, or null
};

// A member's place, and the consecutive places among which its own nested teams are bound. Only if
// the process has places.
struct Binding {
    unsigned place = 0;
    unsigned partition_first = 0;
    unsigned partition_size = 0;

    bool operator==(const Binding&) const = default;
};

// From this follow the places of all members of a team; region/binding.h.
struct Arrangement {
    icv::ProcBind policy = {};
    unsigned size = 0;
    Binding leader = {};

    bool operator==(const Arrangement&) const = default;
};

// What becomes of the deferred tasks that a member creates.
enum class Deferral : std::uint8_t {
    kNot,    // none may be: it has yet to make its queue and its team ready for them in this region
    kToLane, // they go to its lane
    kByHome, // they do, unless they have a home (task/homes.h)
};

struct Member {
    sched::Lane lane;

    // Constant for the life of the member.
    Team* team = nullptr;
    unsigned number = 0;

    Worker* worker = nullptr; // set by the leader between regions
    task::Task* implicit_task = nullptr;

    // Contexts whose tasks wait (task/suspend.h). Its own thread's; but others put some among the
    // ready ones.
    ReadyContexts ready = {};
    Context* suspended = nullptr; // all that have been left, the latest first
    Context* outside = nullptr;   // of those, the one that waits outside of tasks and has given way
    // Tied tasks whose contexts have been left, the innermost first: task/constraint.h.
    TiedWait* tied = nullptr;
    std::uint64_t contexts_so_far = 0; // that have begun, or that were noted in `tied`

    // Its own thread. Not on the lines above, which the leader reads when it hands out places.
    alignas(base::kCacheLine) LoopPlace loop;
    Team* inner = nullptr;      // the team that this member leads
    Binding binding;            // read by the members of the teams that it leads, too
    std::uint32_t barriers = 0; // met in this region
    Deferral deferral = Deferral::kNot;
    // Its own thread's tasks that are deferred: may there be any?
    bool may_defer() const { return deferral != Deferral::kNot; }
    probe::ompt::TaskRecord* task_record = nullptr; // of its implicit task, once a tool was attached

    // Written by its own thread (plain increments), read by any.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> created{0};
    std::atomic<std::uint64_t> finished{0};
    // Only where nodes matter (Scheduler::knows_homes). The node that its thread was last seen on;
    // a hint, so relaxed.
    std::atomic<sched::Home> node{sched::kNoHome};

    static void count(std::atomic<std::uint64_t>& counter,
                      std::uint64_t by = 1) { // one writer, so no read-modify-write is needed
        counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_release); // [quiet-1]
    }
};

// What the construct that opens a region hands to its team.
struct RegionBody {
    void (*function)(void*) = nullptr;
    void* data = nullptr;
};

struct Team {
    // The region, for its members. The leader sets it before it hands out places; constant during a
    // region but for `generation`, which any member raises that opens a barrier. All that a member
    // needs to begin its part of a region, on one cache line: with few threads a region costs
    // little more than the lines that travel.
    alignas(base::kCacheLine) RegionBody body;
    const icv::TaskIcvs* icvs = nullptr;   // for the implicit tasks: the creating task's, or inner_icvs
    task::Taskgroup* reductions = nullptr; // of the parallel construct's task reductions, if any
    Worker* leader = nullptr;              // member 0's
    std::uint64_t creating_task_id = 0;
    std::atomic<std::uint32_t> generation{0}; // phases: regions begun, and barriers opened
    unsigned size = 1;
    bool may_spin = true;           // no more threads at work than processors
    bool displays_affinity = false; // each member is to say where it is
    bool crowds_places = false;     // members are bound to places with fewer processors than members
    bool combines = false;          // its barrier is the combining one: it has `groups`

    // The region, for whoever asks. The same: the leader's to set, constant during a region.
    unsigned capacity = 0;     // members that exist
    unsigned staffed = 1;      // members that have workers: the first so many, `size` at least
    unsigned processors = ~0u; // that its threads could use when the last of them started, without places
    unsigned level = 0;        // nesting of parallel regions, outermost = 1; 0 outside any
    unsigned active_level = 0; // of those with more than one thread
    Member** members = nullptr;
    Member* leader_place = nullptr;      // the leader's place in the enclosing team; null at level 0
    Team* initial = this;                // the team at level 0 around it: region/contention_group.h
    Member* place_left = nullptr;        // initial teams: the leader's place outside a target region
    task::Task* creating_task = nullptr; // the task that met the parallel construct
    icv::TaskIcvs inner_icvs = {};       // if the implicit tasks' are not the creating task's
    Arrangement arrangement;             // if the process has places or displays affinity
    std::uint64_t region_serial = 0;     // how many regions this team has run; tags its work-sharing constructs

    // What events tell of the region. The sinks' (region/events.h): the leader's thread writes,
    // members read.
    struct Recording {
        std::uint64_t region_id = 0;
        const void* site = nullptr;       // of the parallel construct; for a tool, too
        std::uint64_t leader_started = 0; // when the leader's implicit task began
    } recording;
    struct Tool {
        probe::ompt::ParallelRecord* record = nullptr; // once a tool was attached
        // Of the task that met the construct; null between regions.
        probe::ompt::TaskRecord* encountering_record = nullptr;
    } tool;

    // Kept from region to region. The leader's, between regions: region/team_growth.h.
    bool orphaned = false;      // the process was forked in this region: region/after_fork.h
    Team* next_spare = nullptr; // in the list of teams without a leader
    loop::Ring* ring = nullptr; // work-sharing constructs in flight; loop/'s: any member may make it
    sched::Lane** lanes = nullptr;
    std::atomic<std::uint64_t>* sleeper_bits = nullptr;
    sync::barriers::Groups<base::RealAtomics> groups; // of its members, for a combining barrier
    void* arrays = nullptr;                           // the block in which members, lanes and sleeper_bits are

    // Initial teams only. Any thread of the contention group: region/contention_group.h.
    std::atomic<unsigned> group_extra{0};

    // The team's tasks, and cancellation. Any member writes, mostly once in a region if at all.
    alignas(base::kCacheLine) std::atomic<bool> has_tasks{false}; // a deferred task was created in this region
    std::atomic<bool> cancelled{false};                           // cancel parallel
    // cancel for of a loop that no construct stands for: loop/cancel.h
    std::atomic<std::uint64_t> cancelled_position{0};
    std::atomic<std::uint64_t> finished_elsewhere{0}; // tasks ended by threads outside the team
    // With a tool: members that have yet to tell the end of their part [notices-1].
    std::atomic<std::uint32_t> notices_due{0};

    // The barrier, and `single`, whose members come to a barrier next. Any member.
    alignas(base::kCacheLine) std::atomic<std::uint32_t> arrived{0}; // at the current barrier
    std::atomic<void*> copyprivate{nullptr};                         // of the `single` before this barrier
    std::atomic<std::uint64_t> singles{0};                           // those taken so far

    // The join. Each member once; the leader waits for them.
    alignas(base::kCacheLine) std::atomic<std::uint32_t> joined{0}; // members past the end of the region [region-2]

    // Who runs the team's ready tasks, and who sleeps: sched/scheduler.h says who may touch what.
    alignas(base::kCacheLine) sched::Scheduler ready;
};

// Who creates a task, comes to a barrier or joins writes no line that a member reads to begin its
// part, nor one of the others'.
static_assert(offsetof(Team, combines) < base::kCacheLine);
static_assert(offsetof(Team, has_tasks) % base::kCacheLine == 0 && offsetof(Team, arrived) % base::kCacheLine == 0 &&
              offsetof(Team, joined) % base::kCacheLine == 0 && offsetof(Team, ready) % base::kCacheLine == 0);

// Where the thread that has this place goes on when the team's region ends; null: nowhere in
// OpenMP, or another thread leads the team.
inline Member* place_around(const Member& place) {
    if (place.number != 0) return nullptr;
    const Team& team = *place.team;
    return team.leader_place != nullptr ? team.leader_place : team.place_left;
}

// The place of a pool worker that is in no team, so that whoever asks (a profiler's signal handler,
// say) finds one.
extern constinit Member nowhere;

} // namespace teff::team
