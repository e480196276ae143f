// SPDX-License-Identifier: Apache-2.0
//
// Team and Member: the records of the threads that run a parallel region.
//
// A Member is one thread's place in a team. It has the thread's number, its lane in the scheduler,
// and its counters. A member may itself lead a nested region. The team of that region, with its
// workers, is kept at Member::inner for the next nested region. A thread outside any region is
// member 0 of a team of one at level 0.
//
// A Team is owned by its leader (member 0's thread): only the leader sets it up, between regions.
// Each section of Team and Member says who may touch the fields during a region. Teams and members
// are kept until the leading thread ends, and then reused. They are never freed, so a thread that
// looks late finds a valid record.
//
// Outstanding tasks: each member counts the tasks that it created and the tasks that it finished
// (plain increments, own cache line). To find out whether tasks are left, a thread waits until
// every member has arrived. It then sums up all `finished`, and after that all `created`. If the
// sums are equal, no task was left when the thread began to sum (Mattern, Distributed Computing
// 1987, counting with monotonic sums). See region/team_protocol.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "icv/icv.h"
#include "sched/scheduler.h"
#include "sync/barriers/groups.h"
#include "team/moving_contexts.h"
#include "team/worker.h"

namespace teff::task {
struct Taskgroup;
}
namespace teff::probe::ompt {
struct ParallelRecord;
struct TaskRecord;
} // namespace teff::probe::ompt
namespace teff::loop {
class DoacrossNest;
struct Ring;
struct WorkShare;
} // namespace teff::loop

namespace teff::team {

struct Team;

// A member's place in the sequence of work-sharing constructs; used only by loop/.
struct LoopPlace {
    loop::WorkShare* current = nullptr; // the member's current construct, or null
    std::uint64_t sequence = 0;         // number of constructs that the member has met in this region
    std::uint64_t singles = 0;          // number of `single` constructs that the member has met in this region
    std::uint64_t static_trip = 0;      // static and affinity schedules: number of chunks that the
                                        // member has asked for
    bool took_last = false;             // stealing and affinity schedules: the member has had the last chunk
    std::uint64_t ordered_first = 0;    // ordered: number of the first iteration of the member's chunk
    std::uint64_t ordered_count = 0;
    std::uint64_t chunk_start_ticks = 0; // recording: start time of the member's current chunk
    std::uint64_t chunk_first = 0, chunk_iterations = 0;
    std::uint64_t enter_ticks = 0;
    // Recording: the time at which the member last got its turn after a wait, or at which an
    // ordered region began; and the length of that wait, 0 if the member had the turn already.
    std::uint64_t turn_ticks = 0, turn_waited_ticks = 0;
    const void* ordered_site = nullptr; // site of the member's current ordered region, or null
    loop::DoacrossNest* nest = nullptr; // of a doacross loop whose iterations the program divides: loop/doacross_nest.h
};

// A loop that a member alone has taken whole, for a program that asks for the values later. Used
// only by loop/, while that loop is the member's current construct.
struct WholeLoop {
    std::uint64_t first = 0, last = 0, step = 0;
    bool is_left = false; // the program has yet to ask
};

// A member's place, and the consecutive places to which the members of its nested teams are bound.
// Used only if the process has places.
struct Binding {
    unsigned place = 0;
    unsigned partition_first = 0;
    unsigned partition_size = 0;

    bool operator==(const Binding&) const = default;
};

// The values that determine the places of all members of a team; region/binding.h.
struct Arrangement {
    icv::ProcBind policy = {};
    unsigned size = 0;
    Binding leader = {};

    bool operator==(const Arrangement&) const = default;
};

// How a member queues the deferred tasks that it creates.
enum class Deferral : std::uint8_t {
    kNot,    // no task may be deferred: the member has yet to prepare its queue and its team in this region
    kToLane, // the tasks go to the member's lane
    kByHome, // the tasks go to the lane, unless they have a home (task/homes.h)
};

struct Member {
    sched::Lane lane;

    // Constant for the life of the member.
    Team* team = nullptr;
    unsigned number = 0;

    Worker* worker = nullptr; // set by the leader between regions
    task::Task* implicit_task = nullptr;

    // Contexts whose tasks wait (task/suspend.h). Accessed by the member's own thread only, except
    // that other threads put contexts into `ready`.
    ReadyContexts ready = {};
    Context* suspended = nullptr; // all contexts that have been left and do not move, the latest first
    Context* outside = nullptr;   // the one among these whose wait outside of tasks has given way
    // The notes of tied tasks whose contexts have been left, the innermost first:
    // task/constraint.h.
    TiedWait* tied = nullptr;
    std::uint64_t contexts_so_far = 0; // number of contexts that have begun or were noted in `tied`

    // Accessed by the member's own thread. These fields are not on the cache lines above, which the
    // leader reads when it hands out places.
    alignas(base::kCacheLine) LoopPlace loop;
    Team* inner = nullptr;      // the team that this member leads
    Binding binding;            // read by the members of the team that this member leads
    std::uint32_t barriers = 0; // number of barriers met in this region
    Deferral deferral = Deferral::kNot;
    // Returns true if the member's own thread may defer tasks; then it may also have deferred some.
    bool may_defer() const { return deferral != Deferral::kNot; }
    WholeLoop whole_loop;
    probe::ompt::TaskRecord* task_record = nullptr; // a tool's record of its implicit task; set
                                                    // once a tool was attached

    // Written by the member's own thread (plain increments), read by any thread.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> created{0};
    std::atomic<std::uint64_t> finished{0};
    // The number of its contexts that have been left and move (task/moving.h), and in which no
    // worker has continued yet. Written by any member. Relaxed: the member's own thread counts a
    // context before the context is ready.
    std::atomic<std::uint32_t> moving{0};
    // The phase of the team in which its thread waits outside of tasks, or last did so. Accessed by
    // the member's own thread; kept only if contexts move.
    std::uint32_t waits_in_phase = 0;
    // The node on which the member's thread was last seen. Kept only where nodes matter
    // (Scheduler::knows_homes). It is only a hint, so the accesses are relaxed.
    std::atomic<sched::Home> node{sched::kNoHome};

    static void count(std::atomic<std::uint64_t>& counter,
                      std::uint64_t by = 1) { // one writer, so no read-modify-write is needed
        counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_release); // [quiet-1]
    }
};

// The data that the construct hands to the team of its region.
struct RegionBody {
    void (*function)(void*) = nullptr;
    void* data = nullptr;
};

using MovingContexts = MovingContextsOver<base::RealAtomics, Context, Member, task::Task>;

struct Team {
    // The region, for its members. The leader sets these fields before it hands out places. They
    // are constant during a region except `generation`, which is incremented by a member that opens
    // a barrier. All data that a member needs to begin its part of a region is on one cache line,
    // because with few threads the cost of a region is mostly the cost of moving cache lines.
    alignas(base::kCacheLine) RegionBody body;
    const icv::TaskIcvs* icvs = nullptr;   // the ICVs of the implicit tasks: the creating task's, or inner_icvs
    task::Taskgroup* reductions = nullptr; // the group of the parallel construct's task reductions, or null
    Worker* leader = nullptr;              // member 0's worker
    std::uint64_t creating_task_id = 0;
    std::atomic<std::uint32_t> generation{0}; // counts phases: regions begun, and barriers opened
    unsigned size = 1;
    bool may_spin = true;           // no more threads are at work than there are processors
    bool displays_affinity = false; // each member must print its place
    bool crowds_places = false;     // members are bound to places with fewer processors than members
    bool combines = false;          // the team uses the combining barrier: it has `groups`
    bool recorded = false;          // the leader is recorded in this region, and so are the members

    // The region, for other threads. Also set by the leader and constant during a region.
    unsigned capacity = 0;     // number of members that exist
    unsigned staffed = 1;      // number of members that have workers: the first `staffed` members, at least `size`
    unsigned processors = ~0u; // usable by its threads when the last of them started; only kept without places
    unsigned level = 0;        // nesting level of the parallel region, outermost = 1; 0 outside any
    unsigned active_level = 0; // the number of enclosing regions with more than one thread, this region included
    Member** members = nullptr;
    Member* leader_place = nullptr;      // member 0's place in the enclosing team; null at level 0
    Team* initial = this;                // the team at level 0 around it: region/contention_group.h
    Member* place_left = nullptr;        // initial teams: the leader's place outside a target region
    task::Task* creating_task = nullptr; // the task that met the parallel construct
    icv::TaskIcvs inner_icvs = {};       // used if the implicit tasks' ICVs are not the creating task's
    Arrangement arrangement;             // set if the process has places or displays affinity
    std::uint64_t region_serial = 0;     // number of regions that this team has run; tags its work-sharing constructs

    // The data that events report of the region. Used by the sinks (region/events.h): the leader's
    // thread writes, members read.
    struct Recording {
        std::uint64_t region_id = 0;
        const void* site = nullptr;       // site of the parallel construct; also for a tool
        const void* code = nullptr;       // the program's function that the region runs; null: not known
        std::uint64_t leader_started = 0; // start time of the leader's implicit task
    } recording;
    struct Tool {
        probe::ompt::ParallelRecord* record = nullptr; // null until a tool was attached
        // The record of the task that met the construct; null between regions.
        probe::ompt::TaskRecord* encountering_record = nullptr;
    } tool;

    // Kept from region to region. Changed by the leader, between regions: region/team_growth.h.
    bool orphaned = false;      // the process was forked in this region: region/after_fork.h
    Team* next_spare = nullptr; // next in the list of teams without a leader
    loop::Ring* ring = nullptr; // work-sharing constructs in flight; used by loop/: any member may make it
    sched::Lane** lanes = nullptr;
    std::atomic<std::uint64_t>* sleeper_bits = nullptr;
    sync::barriers::Groups<base::RealAtomics> groups; // the members' groups, for a combining barrier
    void* arrays = nullptr;                           // the memory block that holds members, lanes and sleeper_bits

    // Initial teams only. Changed by any thread of the contention group: region/contention_group.h.
    std::atomic<unsigned> group_extra{0};

    // The team's tasks, and cancellation. Any member may write these fields; most are written at
    // most once in a region. The leader resets has_tasks when the region has ended, so that
    // lingering members see no tasks.
    alignas(base::kCacheLine) std::atomic<bool> has_tasks{false}; // a deferred task was created in this region
    std::atomic<bool> cancelled{false};                           // cancel parallel
    // A `cancel for` of a loop for which no construct object exists: loop/cancel.h
    std::atomic<std::uint64_t> cancelled_position{0};
    std::atomic<std::uint64_t> finished_elsewhere{0}; // tasks ended by threads outside the team
    // With a tool: the number of members that have yet to report the end of their part [notices-1].
    std::atomic<std::uint32_t> notices_due{0};

    // The barrier and `single`, which share a cache line because members meet a barrier next after
    // a `single`. Written by any member.
    alignas(base::kCacheLine) std::atomic<std::uint32_t> arrived{0}; // number of members at the current barrier
    std::atomic<void*> copyprivate{nullptr};                         // data of the `single` before this barrier
    std::atomic<std::uint64_t> singles{0};                           // number of `single` constructs taken so far

    // The join. Written once by each member; the leader waits for the members.
    alignas(base::kCacheLine) std::atomic<std::uint32_t> joined{0}; // members that have ended their part [region-2]

    // The team's ready tasks and sleeping members: sched/scheduler.h says which threads may access
    // what.
    alignas(base::kCacheLine) sched::Scheduler ready;
    MovingContexts moving; // used with TEFF_UNTIED=migrate only
};

// A member that creates a task, meets a barrier or joins does not write to a cache line that
// another member reads to begin its part. Each of these three actions writes to separate lines.
static_assert(offsetof(Team, combines) < base::kCacheLine);
static_assert(offsetof(Team, has_tasks) % base::kCacheLine == 0 && offsetof(Team, arrived) % base::kCacheLine == 0 &&
              offsetof(Team, joined) % base::kCacheLine == 0 && offsetof(Team, ready) % base::kCacheLine == 0);

// Returns the place at which the thread of `place` continues when the team's region ends. Returns
// null if another thread leads the team, or if the thread has no place around the team.
inline Member* place_around(const Member& place) {
    if (place.number != 0) return nullptr;
    const Team& team = *place.team;
    return team.leader_place != nullptr ? team.leader_place : team.place_left;
}

// The place of all pool workers without a team. With it, code that asks for a worker's place, such
// as a profiler's signal handler, always finds one.
extern constinit Member nowhere;

} // namespace teff::team
