// SPDX-License-Identifier: Apache-2.0
#include "task/create.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>

#include "base/report.h"
#include "base/round_up.h"
#include "sync/held_locks.h"
#include "task/at_once.h"
#include "task/dependences.h"
#include "task/detach.h"
#include "task/events_counted.h"
#include "task/events_recorded.h"
#include "task/homes.h"
#include "task/preemption.h"
#include "task/wait.h"

namespace teff::task {

namespace {

constexpr std::size_t kBlockAlign = base::kCacheLine; // blocks start at cache lines

// Returns the smallest block size that holds `bytes` bytes; kTaskBlockSizes if none is large
// enough.
unsigned block_for(std::size_t bytes) {
    if (TEFF_LIKELY(bytes <= mem::kBlockBytes[0])) return 0;
    unsigned size = 1;
    while (size < mem::kTaskBlockSizes && mem::kBlockBytes[size] < bytes)
        ++size;
    return size;
}

events::Creation creation(const TaskClauses& clauses, base::Ticks met) {
    events::Creation creation{.met = met, .site = clauses.site, .depend = clauses.depend};
    if (clauses.part != nullptr) {
        creation.first_iteration = clauses.part->first_iteration;
        creation.iterations = clauses.part->iterations;
    }
    return creation;
}

void place_part(void* args, const TaskClauses& clauses) {
    if (clauses.part != nullptr) clauses.part->place(args, *clauses.part);
}

TEFF_APART void call_copy(const team::Worker& worker, void* args, const TaskConstruct& construct) {
    const CallsBack calls_back(worker);
    construct.copy(args, construct.data);
}

[[gnu::always_inline]] inline void copy_args(const team::Worker& worker, Task& task, const TaskConstruct& construct) {
    void* const args = task.args();
    if (construct.copy != nullptr) call_copy(worker, args, construct);
    else if (construct.arg_bytes != 0) std::memcpy(args, construct.data, construct.arg_bytes); // else data may be null
    place_part(args, construct.clauses);
}

[[gnu::noinline]] void run_undeferred(team::Worker& worker, const TaskConstruct& construct, base::Ticks met) {
    const bool copy = construct.copy != nullptr;
    Task& task =
        copy ? allocate(worker, construct.function, construct.arg_bytes, construct.arg_align, construct.flags)
             : allocate(worker, construct.function, sizeof(void*), alignof(void*), construct.flags | kArgsBorrowed);
    include(worker, task, construct.clauses, met);
    if (copy) {
        copy_args(worker, task, construct);
    } else {
        std::memcpy(task.place_of_args(), &construct.data, sizeof construct.data);
        place_part(construct.data, construct.clauses);
    }
    run_included(worker, task);
}

// Tasks that wait for dependences are in no queue, so the limit of a queue does not stop their
// creator. Therefore a creator that is far ahead of its children runs some of them itself, if any
// is ready. In this way memory stays bounded, and the next tasks find blocks and table in the
// caches. The creator never waits for its children here. The limit per member is twice the number
// of tasks that libgomp lets a team have before its creators run new tasks themselves.
constexpr std::int64_t kFloodPerMember = 2 * detail::kPeersPerMember;

[[gnu::always_inline]] inline bool is_flooded(team::Worker& worker, Task& parent) {
    return parent.children.outstanding() > kFloodPerMember * worker.member->team->size;
}

[[gnu::noinline]] void help_flooded(team::Worker& worker, Task& parent, base::CallSite site) {
    constexpr unsigned kMost = 32;
    // A creator that is alone runs all its children, because the next task may then have no task to
    // wait for.
    const bool alone = worker.member->team->size == 1;
    for (unsigned i = 0; alone ? !parent.children_ended() : i < kMost && is_flooded(worker, parent); ++i)
        if (!help(worker, site)) break;
    continue_begun(worker, site);
}

// Called when the current task has created a ready task of a higher priority. While preemption is
// off, the runtime does not see the locks of pthreads. If the creator held one, a task that
// continues on its thread might wait for that lock for ever. So the creator gives way only if it
// has created as many tasks as libgomp allows before its creators run tasks themselves.
TEFF_COLD void yield_to_higher(team::Worker& worker, base::CallSite site) {
    if (preempt::is_on()) give_way_to_higher(worker);
    else if (worker.task->children.outstanding() <= detail::kPeersPerMember * worker.member->team->size) return;
    continue_begun(worker, site);
}

std::int32_t priority_of(const TaskClauses& clauses) {
    return std::clamp(clauses.priority, 0, icv::global().max_task_priority);
}

TEFF_COLD std::int32_t priority_or_home(team::Worker& worker, const Task& task, const TaskClauses& clauses) {
    if (!worker.member->may_defer()) return 0; // outside regions
    const std::int32_t priority = priority_of(clauses);
    if (priority > 0) return priority;
    return sched::way_home(home_of(worker, task, clauses));
}

// Runs the task at once. Used outside regions, where no task is queued, and for tasks that are
// never queued.
TEFF_COLD void run_now(team::Worker& worker, Task& task) {
    run(worker, task);
    pass_on_ends_if_any(worker); // the creator may run for long, or wait for these ends
}

// The creation ends when the body begins, and the creator is recorded as waiting for it; otherwise
// the body's time would count as the creation's, too.
void run_created_now(team::Worker& worker, Task& task, base::Ticks met) {
    if (TEFF_LIKELY(met == 0)) return run_now(worker, task);
    const std::uint32_t site = task.site;
    const base::Ticks began = events::runs_at_once(worker);
    run_now(worker, task);
    events::ran_at_once(worker, site, began);
}

[[gnu::always_inline]] inline void hand_over(team::Worker& worker, Task& task, const TaskClauses& clauses,
                                             base::Ticks met) {
    Task& parent = *worker.task;
    const bool depends = clauses.depend.given();
    assert(worker.member->team->has_tasks.load(std::memory_order_relaxed)); // is_deferred has set it
    task.flags |= kCountsAsChild;
    task.priority = TEFF_LIKELY(worker.member->deferral == team::Deferral::kToLane)
                        ? priority_of(clauses)
                        : priority_or_home(worker, task, clauses);
    if (TEFF_UNLIKELY(task.priority > 0)) {
        set_place(task, parent.priority > 0 ? worker.member->lane.place : sched::kNoPlace);
        task.set_ready_at(worker.probes != 0 ? base::ticks() : 0);
    }
    if (TEFF_UNLIKELY(clauses.event != nullptr)) open_event(worker, *clauses.event, task);
    detail::count_in(worker, parent);
    if (depends) make_dependent(worker, task);
    if (TEFF_UNLIKELY(met != 0)) events::created(worker, task, creation(clauses, met));
    bool yields = false;
    if (!depends || add_dependences(worker, task, clauses.depend)) {
        const std::int32_t priority = task.priority;
        if (!worker.member->may_defer() || runs_at_once(task)) run_created_now(worker, task, met);
        else if (TEFF_UNLIKELY((task.flags & kArgsOutside) != 0) && detail::has_much_data_queued(worker))
            detail::run_or_queue(worker, task);
        else detail::enqueue_or_run(worker, task);
        ask_for_task(*worker.member->team, &worker, priority);
        yields = TEFF_UNLIKELY(priority > parent.priority);
    }
    const bool flooded = depends && is_flooded(worker, parent);
    if (TEFF_UNLIKELY(met != 0)) events::creation_ends(worker);
    if (TEFF_UNLIKELY(yields)) yield_to_higher(worker, clauses.site);
    if (flooded) help_flooded(worker, parent, clauses.site);
}

[[gnu::always_inline]] inline void create_deferred(team::Worker& worker, const TaskConstruct& construct,
                                                   base::Ticks met) {
    Task& task = allocate(worker, construct.function, construct.arg_bytes, construct.arg_align, construct.flags);
    copy_args(worker, task, construct);
    hand_over(worker, task, construct.clauses, met);
}

// Returns true if a task outside regions is deferred nevertheless. A detachable task must not block
// its creator until its event is fulfilled, because the creator may fulfil the event itself. So the
// creator runs the task's body at once, and the tasks that depend on it wait for the event.
TEFF_COLD bool may_outlast_construct(team::Member& member, const Task& parent, TaskFlags flags,
                                     const TaskClauses& clauses) {
    const bool waits = clauses.depend.given() && parent.has_dependent_children();
    if ((flags & kDetachable) == 0 && !waits) return false;
    member.team->has_tasks.store(true, std::memory_order_relaxed);
    return true;
}

// is_deferred, inline in `create`.
[[gnu::always_inline]] inline bool defers(team::Worker& worker, TaskFlags flags, const TaskClauses& clauses) {
    team::Member& member = *worker.member;
    const Task& parent = *worker.task;
    if ((flags & kUndeferred) != 0 || (parent.flags & kFinal) != 0) return false;
    return member.may_defer() || prepare_to_defer(member) || may_outlast_construct(member, parent, flags, clauses);
}

void create(team::Worker& worker, const TaskConstruct& construct, base::Ticks met) {
    if (cancelled(*worker.member->team, worker.task->group)) { // its task is not created at all
        if (construct.clauses.event != nullptr) retire_event(worker, *construct.clauses.event);
    } else if (defers(worker, construct.flags, construct.clauses)) {
        create_deferred(worker, construct, met);
    } else {
        run_undeferred(worker, construct, met);
    }
}

// Returns true if the task can be run at once on top of its creator without other steps.
bool is_simple(const TaskConstruct& construct) {
    const bool fits = construct.copy == nullptr || construct.arg_bytes <= detail::kSmallArgs;
    return fits && construct.arg_align <= kBlockAlign && construct.clauses.event == nullptr;
}

bool is_undeferred(const team::Worker& worker, const TaskConstruct& construct) {
    return (construct.flags & kUndeferred) != 0 || is_included(worker);
}

// Runs a simple task at once. `body` is called with the arguments.
template <class Body>
void run_construct(team::Worker& worker, const TaskConstruct& construct, bool undeferred, Body&& body) {
    constexpr TaskFlags kSame = kUntied | kFinal | kTaskloop | kCodeInArgs;
    const TaskFlags flags = (construct.flags & kSame) | (undeferred ? kUndeferred : 0);
    const bool copies = construct.copy != nullptr;
    const mem::BlockSize size = copies ? detail::small_block(construct.arg_bytes) : mem::BlockSize::k192;
    detail::run_simple(worker, *worker.task, size, construct.data, construct.copy, construct.clauses.part, flags, body);
}

// Call the body of the current task, which its creator runs at once, if the counters or the
// recording is the only sink.
void call_counted(const team::Worker& worker, void (*function)(void*), void* args) {
    counting::included_begins(*worker.stat);
    function(args);
    counting::included_ends(*worker.stat);
}

void call_recorded(team::Worker& worker, Task& task, void* args, const events::Creation& creation) {
    const recording::AtOnce at_once = recording::at_once_begins(worker, task, creation);
    task.function(args);
    recording::at_once_ends(worker, task, at_once);
}

// Used if the counters are the only sink. Tasks that run in place without counters also run in
// place with counters. Returns false if nothing was done.
bool try_run_counted(team::Worker& worker, const TaskConstruct& construct) {
    if (!team::only_counted(worker)) return false;
    const bool in_place = counting::is_called(*worker.stat);
    const bool undeferred = is_undeferred(worker, construct);
    if ((!undeferred && !in_place) || !is_simple(construct)) return false;
    if (cancelled(*worker.member->team, worker.task->group)) return true; // its task is not created at all
    counting::includes(*worker.stat, undeferred);
    run_construct(worker, construct, undeferred, [&](void* args) { call_counted(worker, construct.function, args); });
    counting::goes_on(*worker.stat);
    return true;
}

// Used if the recording is the only sink. Tasks that run in place without a recording also run in
// place with one. The task is recorded as one without a priority, which its creator must not have
// either. Returns false if nothing was done.
bool try_run_recorded(team::Worker& worker, const TaskConstruct& construct) {
    if (!team::only_traced(worker)) return false;
    const bool in_place = recording::is_called(worker);
    const bool undeferred = is_undeferred(worker, construct);
    if ((!undeferred && !in_place) || !is_simple(construct) || worker.task->priority > 0) return false;
    const base::Ticks met = construct.met != 0 ? construct.met : base::ticks();
    if (cancelled(*worker.member->team, worker.task->group)) return true; // its task is not created at all
    run_construct(worker, construct, undeferred, [&](void* args) {
        Task& task = *worker.task;
        task.function = construct.function;
        call_recorded(worker, task, args, {.met = met, .site = construct.clauses.site});
    });
    return true;
}

// Used if the counters are the only sink, and take no times: a deferred task only has to be
// counted. Returns false if nothing was done.
bool try_defer_counted(team::Worker& worker, const TaskConstruct& construct) {
    const TaskClauses& clauses = construct.clauses;
    if (!team::only_counted_untimed(worker) || cancelled(*worker.member->team, worker.task->group)) return false;
    if (!defers(worker, construct.flags, clauses)) return false;
    counting::defers(*worker.stat, clauses.depend.given());
    create_deferred(worker, construct, 0);
    counting::enter(*worker.stat, TEFF_STAT_USER);
    return true;
}

TEFF_APART void create_probed(team::Worker& worker, const TaskConstruct& construct) {
    const bool depends = construct.clauses.depend.given();
    if (!depends && (try_run_recorded(worker, construct) || try_run_counted(worker, construct))) return;
    if (try_defer_counted(worker, construct)) return;
    create(worker, construct, events::construct_begins(worker, construct.clauses.site, construct.met));
    events::construct_ends(worker);
}

} // namespace

bool is_deferred(team::Worker& worker, TaskFlags flags, const TaskClauses& clauses) {
    return defers(worker, flags, clauses);
}

void submit(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met) {
    hand_over(worker, task, clauses, met);
}

// The task is in no count of its parent or group, because it ends before the parent continues.
void include(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met) {
    task.flags |= kUndeferred | (worker.task->flags & kFinal);
    task.priority = worker.task->priority; // its creator waits for it
    if (TEFF_UNLIKELY(met != 0)) events::created(worker, task, creation(clauses, met));
    if (clauses.depend.given())
        wait_for_dependences(worker, clauses.depend, {task.id, events::record_of(task)}, clauses.site);
    if (TEFF_UNLIKELY(clauses.event != nullptr)) open_event(worker, *clauses.event, task);
}

// The task counts as a child, as it ends when its event is fulfilled.
void include_body(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met) {
    Task& parent = *worker.task;
    worker.member->team->has_tasks.store(true, std::memory_order_relaxed);
    task.flags |= kCountsAsChild | (parent.flags & kFinal);
    task.priority = parent.priority;
    open_event(worker, *clauses.event, task);
    detail::count_in(worker, parent);
    if (TEFF_UNLIKELY(met != 0)) events::created(worker, task, creation(clauses, met));
}

void run_included_body(team::Worker& worker, Task& task, const TaskClauses& clauses, base::Ticks met) {
    include_body(worker, task, clauses, met);
    run_created_now(worker, task, met);
    if (TEFF_UNLIKELY(met != 0)) events::creation_ends(worker);
}

bool runs_dependent_at_once(team::Worker& worker, TaskFlags flags) {
    if (!worker.task->children_ended()) return false;
    const bool deferred = (flags & kUndeferred) == 0;
    // A deferred task may need a lock that its creator holds.
    return !deferred || (worker.member->team->size == 1 && sync::locks_held == 0 && detail::may_run_at_once(worker));
}

bool try_run_dependent(team::Worker& worker, void (*function)(void*), void* data, void (*copy)(void*, void*),
                       std::size_t arg_bytes, TaskFlags flags) {
    return runs_dependent_at_once(worker, flags) && try_run_simple(worker, function, data, copy, arg_bytes, flags);
}

void create_any(team::Worker& worker, const TaskConstruct& construct) {
    if (TEFF_UNLIKELY(worker.probes != 0)) create_probed(worker, construct);
    else create(worker, construct, 0);
}

void create_one_of_many(team::Worker& worker, const TaskConstruct& construct) {
    const bool may = !is_undeferred(worker, construct) && !priority_counts(construct.clauses.priority);
    const bool in_place = may && runs_in_place(worker);
    const bool is_plain = in_place && worker.probes == 0 && is_simple(construct);
    if (!is_plain || cancelled(*worker.member->team, worker.task->group)) return create_any(worker, construct);
    run_construct(worker, construct, false, construct.function);
}

namespace {

// Runs an allocated task at once, if the recording or the counters are the only sink.
bool try_run_allocated(team::Worker& worker, Task& task, base::CallSite site, bool undeferred) {
    const Task& parent = *worker.task;
    const bool traced = team::only_traced(worker) && parent.priority == 0, counted = team::only_counted(worker);
    if ((!traced && !counted) || cancelled(*worker.member->team, parent.group)) return false;
    const base::Ticks met = team::event_ticks(worker);
    task.flags |= (undeferred ? kUndeferred : 0) | (parent.flags & kFinal);
    task.priority = parent.priority;
    if (counted) counting::includes(*worker.stat, undeferred);
    begin_simply(worker, task);
    if (counted) call_counted(worker, task.function, task.args());
    else call_recorded(worker, task, task.args(), {.met = met, .site = site});
    end_simply(worker, task);
    if (counted) counting::goes_on(*worker.stat);
    return true;
}

} // namespace

bool try_include_probed(team::Worker& worker, Task& task, base::CallSite site, Underway& underway) {
    const Task& parent = *worker.task;
    if (!team::only_traced(worker) || parent.priority > 0 || cancelled(*worker.member->team, parent.group))
        return false;
    const base::Ticks met = base::ticks();
    task.flags |= kUndeferred | (parent.flags & kFinal);
    task.priority = parent.priority;
    Task* const below = worker.task;
    const sched::Mark outer = detail::enter(worker, task);
    const recording::AtOnce at_once = recording::at_once_begins(worker, task, {.met = met, .site = site});
    underway = {.below = below, .outer = outer, .skipped = false, .body = at_once.body, .record = at_once.record};
    return true;
}

bool try_submit_probed(team::Worker& worker, Task& task, base::CallSite site) {
    const bool undeferred = is_included(worker);
    const bool in_place = !undeferred && runs_in_place(worker);
    if (in_place) {
        if (team::counted(worker)) (void)counting::is_called(*worker.stat);
        (void)recording::is_called(worker);
    }
    if (undeferred || in_place) return try_run_allocated(worker, task, site, undeferred);
    team::Member& member = *worker.member;
    if (member.deferral != team::Deferral::kToLane && !detail::may_create_simply(worker)) return false;
    if (events::need_whole_path(worker)) return false;
    const base::Ticks met = team::event_ticks(worker);
    task.flags |= kCountsAsChild;
    detail::submit_simply(worker, task, *worker.task, met, site);
    return true;
}

namespace {

void* allocate_outside(std::size_t bytes, std::size_t align) {
    const std::size_t whole = std::max(align, sizeof(void*));
    void* memory = std::aligned_alloc(whole, base::round_up(bytes, whole));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for %zu bytes of firstprivate data of a task", bytes);
    return memory;
}

} // namespace

Task& allocate(team::Worker& worker, void (*function)(void*), std::size_t arg_bytes, std::size_t arg_align,
               TaskFlags flags) {
    const bool observed = TEFF_UNLIKELY(worker.probes != 0) && team::observed(worker);
    const std::size_t header = sizeof(Task) + (observed ? events::record_bytes() : 0);
    std::size_t offset = base::round_up(header, std::max(arg_align, sizeof(void*)));
    unsigned size = arg_align <= kBlockAlign ? block_for(offset + arg_bytes) : mem::kTaskBlockSizes;
    const bool outside = size == mem::kTaskBlockSizes;
    if (TEFF_UNLIKELY(outside)) {
        offset = header;
        size = block_for(offset + sizeof(void*));
        flags |= kArgsOutside;
    }
    Task& task = *static_cast<Task*>(worker.blocks.take(static_cast<mem::BlockSize>(size)));
    detail::fill_header(task, worker, *worker.task, function, flags | (observed ? kObserved : 0));
    task.block_size = static_cast<mem::BlockSize>(size);
    task.args_at = static_cast<std::uint8_t>(offset / 8);
    if (TEFF_UNLIKELY(outside)) {
        void* const memory = allocate_outside(arg_bytes, arg_align);
        std::memcpy(task.place_of_args(), &memory, sizeof memory);
    }
    return task;
}

void free_extras(team::Worker& worker, Task& task) {
    if ((task.flags & kArgsOutside) != 0) std::free(task.args());
    if ((task.flags & kOwnIcvs) != 0) give_back_icvs(worker, task);
}

bool detail::may_create_simply(team::Worker& worker) {
    team::Member& member = *worker.member;
    if (!member.may_defer() && !prepare_to_defer(member)) return false;
    return member.deferral == team::Deferral::kToLane || !is_footprint_told(worker);
}

bool prepare_to_defer(team::Member& member) {
    team::Team& team = *member.team;
    // Outside regions no barrier follows that would run the tasks.
    if (team.level == 0) return false;
    if (!team.ready.open(member.lane, icv::global().deque_limit)) return false; // in this case its tasks run at once
    team.has_tasks.exchange(true, std::memory_order_seq_cst);       // [tasks-1] a full fence: see Sleepers::enter
    const bool by_home = team.ready.knows_homes() && team.size > 1; // otherwise no member is on another node
    member.deferral = by_home ? team::Deferral::kByHome : team::Deferral::kToLane;
    return true;
}

} // namespace teff::task
