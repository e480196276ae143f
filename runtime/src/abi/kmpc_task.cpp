// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: explicit tasks, as LLVM's compilers call them.
//
// The runtime allocates a task, the compiler's code fills in its private variables, and then the
// task is created. Its memory (kmpc::Task, the private variables, the pointers to shared variables)
// is what the core calls the task's arguments. Behind it lie the TaskNotes:
//
//     kmpc::Task | private variables | pointers to shared variables | TaskNotes
//
// An untied task's entry returns at each task scheduling point, and asks to be called again by
// creating the task that is running. It is then called again at once, on the same thread.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "abi/current.h"
#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/target_task.h"
#include "base/report.h"
#include "preempt/hold.h"
#include "region/events.h"
#include "task/create.h"
#include "task/dependences.h"
#include "task/detach.h"
#include "task/events.h"
#include "task/taskgroup.h"
#include "task/taskloop.h"
#include "task/wait.h"

using namespace teff;
using abi::kmpc::DependInfo;
using abi::kmpc::Ident;
using abi::kmpc::TaskEntry;
using team::current_worker;

namespace kmpc = abi::kmpc;

namespace {

using S32 = std::int32_t;
using Duplicate = void (*)(kmpc::Task* to, kmpc::Task* from, S32 is_last);

struct TaskNotes {
    std::uint32_t flags; // kmpc::TaskFlag
    bool goes_on;        // untied: the entry asks to be called again
    // The distance from the core's record to the task, in units of 8 bytes. 0: they lie in
    // different blocks, and the record's address follows the notes.
    std::uint8_t behind_record;
    bool began_simply; // if(0): by task::include_simply
    bool unused;
};
static_assert(sizeof(TaskNotes) == 8);

constexpr std::size_t kAlign = base::kCacheLine; // of private variables

std::size_t bytes_without_notes(const kmpc::Task& task) { return std::size_t{task.notes_at} * 8; }

TaskNotes& notes_of(kmpc::Task* task) {
    return *reinterpret_cast<TaskNotes*>(reinterpret_cast<char*>(task) + bytes_without_notes(*task));
}

// The core's record of a task from __kmpc_omp_task_alloc.
task::Task& record_of(kmpc::Task* task, TaskNotes& notes) {
    if (TEFF_UNLIKELY(notes.behind_record == 0)) return **reinterpret_cast<task::Task**>(&notes + 1);
    return *reinterpret_cast<task::Task*>(reinterpret_cast<char*>(task) - std::size_t{notes.behind_record} * 8);
}

S32 thread_number() { return static_cast<S32>(current_worker().number); }

// Whether a task may be preempted is decided by the code of its entry, which does not name the
// destructors.
void destroy(kmpc::Task* task) {
    const preempt::Hold hold;
    task->data_1.destroy(thread_number(), task);
}

// Calls the entry as long as it asks for it. Always in line, so that the frame of the function that
// contains it is the one that calls the entry: as the notes are read afterwards, this is no tail
// call.
[[gnu::always_inline]] inline void run_parts(kmpc::Task* task, TaskNotes& notes) {
    while (notes.goes_on) {
        notes.goes_on = false;
        task->entry(thread_number(), task);
    }
}

// Used while a tool is told of frames: its frame is the one that calls the task's code.
TEFF_APART void run_parts_told(const team::Worker& worker, kmpc::Task* task, TaskNotes& notes) {
    if (void** const frame = region::events::exit_frame(worker)) *frame = __builtin_frame_address(0);
    run_parts(task, notes);
}

// The function of a task of any kind.
void run_entry(void* memory) {
    auto* const task = static_cast<kmpc::Task*>(memory);
    TaskNotes& notes = notes_of(task);
    const bool destroys = (notes.flags & kmpc::kDestructors) != 0;
    const team::Worker& worker = abi::worker_in_construct();
    // Such a task begins even if it is cancelled, because of its destructors.
    const bool is_cancelled = destroys && task::cancelled(*worker.member->team, worker.task->group);
    notes.goes_on = !is_cancelled && task->entry != nullptr; // null: a taskwait with depend and nowait
    if (TEFF_UNLIKELY(team::observed(worker))) run_parts_told(worker, task, notes);
    else run_parts(task, notes);
    if (destroys) destroy(task);
}

// The function of a task that is tied and has no destructors: its entry is called once. The call is
// a tail call, so no frame is left to tell a tool of.
void run_once(void* memory) {
    auto* const task = static_cast<kmpc::Task*>(memory);
    const team::Worker& worker = abi::worker_in_construct();
    if (TEFF_UNLIKELY(team::observed(worker))) return run_entry(memory);
    task->entry(static_cast<S32>(worker.number), task);
}

using Function = void (*)(void*);
Function function_of(std::uint32_t flags, TaskEntry entry) {
    const bool is_plain = (flags & (kmpc::kTied | kmpc::kDestructors)) == kmpc::kTied && entry != nullptr;
    return is_plain ? run_once : run_entry;
}

task::TaskFlags flags_of(std::uint32_t flags) {
    static_assert(task::kCodeAt == offsetof(kmpc::Task, entry));
    static_assert(task::kUntied == kmpc::kTied && task::kFinal == kmpc::kFinal && task::kMergeable == kmpc::kMergedIf0);
    constexpr std::uint32_t kSame = kmpc::kTied | kmpc::kFinal | kmpc::kMergedIf0;
    constexpr unsigned kHigher =
        std::countr_zero(task::kConstructed) - std::countr_zero(std::uint32_t{kmpc::kDestructors});
    return ((flags ^ kmpc::kTied) & kSame) | (flags & kmpc::kDestructors) << kHigher | task::kCodeInArgs;
}

std::size_t rounded(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }

task::ItemKind item_kind(std::uint8_t bits) {
    switch (bits & 0xf) {
    case kmpc::kIn:
        return task::ItemKind::kIn;
    case kmpc::kMutexinoutset:
        return task::ItemKind::kMutexinoutset;
    case kmpc::kInoutset:
        return task::ItemKind::kInoutset;
    case kmpc::kOut:
        return task::ItemKind::kOut;
    default:
        return task::ItemKind::kInout;
    }
}

using DependInfos = std::span<const DependInfo>;

DependInfos infos_of(S32 count, const DependInfo* infos) {
    return {infos, count > 0 ? static_cast<std::size_t>(count) : 0};
}

// The items of a construct's depend clauses, for as long as the object lives. They come in two
// lists; those of the second one have addresses that no other item has.
class Depends {
  public:
    Depends(DependInfos infos, DependInfos others) {
        const std::size_t items = infos.size() + others.size();
        runs_ = items <= kShort ? short_ : static_cast<task::DependRun*>(std::malloc(items * sizeof *runs_));
        if (runs_ == nullptr) base::fatal(0, "no memory for the depend clauses of a task");
        for (const DependInfos list : {infos, others})
            for (const DependInfo& info : list)
                runs_[count_++] = run_of(info);
    }
    ~Depends() {
        if (runs_ != short_) std::free(runs_);
    }
    Depends(const Depends&) = delete;
    Depends& operator=(const Depends&) = delete;

    task::DependItems items() const { return {count_ != 0 ? runs_ : nullptr, count_}; }

  private:
    static task::DependRun run_of(const DependInfo& info) {
        static void* const all_memory = nullptr;
        const bool is_all = (info.kind & kmpc::kAllMemory) != 0 || info.address == kmpc::kAllAddresses;
        if (is_all) return {&all_memory, 1, task::ItemKind::kOut};
        return {&info.address, 1, item_kind(info.kind)};
    }

    static constexpr std::size_t kShort = 6;
    task::DependRun short_[kShort];
    task::DependRun* runs_ = short_;
    std::size_t count_ = 0;
};

task::TaskClauses clauses_of(const kmpc::Task& task, const TaskNotes& notes, const task::Task& record,
                             const task::DependItems& depend, base::CallSite site) {
    return {.priority = (notes.flags & kmpc::kPriority) != 0 ? task.data_2.priority : 0,
            .depend = depend,
            .event = (record.flags & task::kDetachable) != 0 ? record.detachment : nullptr,
            .site = site};
}

// `met`: when the construct was met, if a probe is on; otherwise 0.
void create(team::Worker& worker, kmpc::Task* task, const task::DependItems& depend, base::CallSite site,
            base::Ticks met) {
    TaskNotes& notes = notes_of(task);
    task::Task& own = record_of(task, notes);
    const task::TaskClauses clauses = clauses_of(*task, notes, own, depend, site);
    if (depend.given()) own.flags |= task::kDependent;
    if (task::is_deferred(worker, own.flags, clauses)) return task::submit(worker, own, clauses, met);
    if (clauses.event != nullptr && !depend.given()) return task::run_included_body(worker, own, clauses, met);
    task::include(worker, own, clauses, met);
    task::run_included(worker, own);
}

TEFF_APART void create_probed(team::Worker& worker, kmpc::Task* task, const task::DependItems& depend,
                              base::CallSite site) {
    create(worker, task, depend, site, task::events::construct_begins(worker, site, 0));
    task::events::construct_ends(current_worker());
}

[[gnu::noinline]] void create_any(team::Worker& worker, kmpc::Task* task, const task::DependItems& depend,
                                  base::CallSite site) {
    if (TEFF_UNLIKELY(worker.probes != 0)) create_probed(worker, task, depend, site);
    else create(worker, task, depend, site, 0);
}

// Creates the task of most constructs. Returns false if nothing was done.
[[gnu::always_inline]] inline bool try_create_simple(team::Worker& worker, task::Task& own, const TaskNotes& notes,
                                                     bool depends, base::CallSite site) {
    const bool is_simple = (notes.flags & (kmpc::kPriority | kmpc::kDetachable)) == 0;
    if (TEFF_LIKELY(is_simple && worker.probes == 0)) return task::try_submit_simple(worker, own, depends);
    return is_simple && !depends && task::try_submit_probed(worker, own, site);
}

// Out of line, as few tasks need the list of their items.
[[gnu::noinline]] void create_dependent(team::Worker& worker, kmpc::Task* task, DependInfos infos, DependInfos others,
                                        base::CallSite site) {
    const Depends depends(infos, others);
    create_any(worker, task, depends.items(), site);
}

struct LoopOfTasks {
    kmpc::Task* pattern; // the task that the tasks are copies of
    bool is_if;
    const std::uint64_t *low, *up; // in the pattern; inclusive
    std::int64_t step;
    bool has_no_group;
    S32 schedule; // 0: nothing was asked for, 1: grainsize, 2: num_tasks
    std::uint64_t size;
    bool is_strict;
    Duplicate duplicate; // copies private variables to a task; may be null

    // Modulo 2^64, as the bounds may be of either sign: the compiler's code leaves out a loop
    // without iterations.
    std::uint64_t count() const {
        const auto by = static_cast<std::uint64_t>(step);
        if (step == 1) return *up - *low + 1;
        return step > 0 ? (*up - *low) / by + 1 : (*low - *up) / (0 - by) + 1;
    }
    std::ptrdiff_t offset_of(const void* in_pattern) const {
        return static_cast<const char*>(in_pattern) - reinterpret_cast<const char*>(pattern);
    }
};

// The loop, and what each of its tasks needs of it.
struct TaskCopies {
    const LoopOfTasks& loop;
    std::size_t bytes; // of a task
    std::ptrdiff_t low_at = loop.offset_of(loop.low), up_at = loop.offset_of(loop.up);
    std::ptrdiff_t shareds_at = loop.pattern->shareds != nullptr ? loop.offset_of(loop.pattern->shareds) : 0;
};

// A taskloop's task: a copy of the pattern. The bounds and the copies of private variables follow
// in place_bounds, which the core calls next. Until then `shareds` leads to the loop.
void copy_pattern(void* to, void* from) {
    auto* const copies = static_cast<TaskCopies*>(from);
    std::memcpy(to, copies->loop.pattern, copies->bytes);
    static_cast<kmpc::Task*>(to)->shareds = copies;
}

void place_bounds(void* memory, const task::TaskloopPart& part) {
    auto* const task = static_cast<kmpc::Task*>(memory);
    const auto& copies = *static_cast<const TaskCopies*>(task->shareds);
    const LoopOfTasks& loop = copies.loop;
    const std::uint64_t up = part.end - static_cast<std::uint64_t>(loop.step); // inclusive
    char* const bytes = static_cast<char*>(memory);
    task->shareds = copies.shareds_at != 0 ? bytes + copies.shareds_at : nullptr;
    std::memcpy(bytes + copies.low_at, &part.first, sizeof part.first);
    std::memcpy(bytes + copies.up_at, &up, sizeof up);
    if (loop.duplicate == nullptr) return;
    const bool is_last = part.first_iteration + part.iterations == part.all;
    const task::CallsBack calls_back(abi::worker_in_construct());
    loop.duplicate(task, loop.pattern, is_last);
}

// The pattern's destructors are called here: it is no task.
void run_loop_of_tasks(LoopOfTasks loop, base::CallSite site) {
    kmpc::Task& pattern = *loop.pattern;
    TaskNotes& notes = notes_of(&pattern);
    const bool has_priority = (notes.flags & kmpc::kPriority) != 0;
    TaskCopies copies{.loop = loop, .bytes = bytes_without_notes(pattern) + sizeof notes};
    task::run_taskloop(
        current_worker(),
        {.task = {.function = function_of(notes.flags, pattern.entry),
                  .data = &copies,
                  .copy = copy_pattern,
                  .arg_bytes = copies.bytes,
                  .arg_align = kAlign,
                  .flags = flags_of(notes.flags) | task::kTaskloop | (loop.is_if ? 0 : task::kUndeferred),
                  .clauses = {.priority = has_priority ? pattern.data_2.priority : 0, .site = site}},
         .place = place_bounds,
         .start = *loop.low,
         .step = static_cast<std::uint64_t>(loop.step),
         .count = loop.count(),
         .size = loop.schedule != 0 ? loop.size : 0,
         .by_grainsize = loop.schedule == 1,
         .strict = loop.is_strict,
         .own_group = !loop.has_no_group});
    if ((notes.flags & kmpc::kDestructors) != 0) destroy(&pattern);
    task::reclaim(current_worker(), record_of(&pattern, notes));
}

// What __kmpc_omp_task_alloc asks for.
struct Asked {
    std::uint32_t flags;
    std::size_t bytes, shared_bytes; // `bytes`: of kmpc::Task and the private variables
    TaskEntry entry;

    std::size_t shared_at() const { return rounded(bytes); }
    std::size_t notes_at() const { return shared_at() + rounded(shared_bytes); }
};

// Fills in a task's memory, and returns its notes.
[[gnu::always_inline]] inline TaskNotes& fill_in(kmpc::Task* task, const Asked& asked, std::uint8_t behind_record) {
    char* const memory = reinterpret_cast<char*>(task);
    task->shareds = asked.shared_bytes != 0 ? memory + asked.shared_at() : nullptr;
    task->entry = asked.entry;
    task->part = 0;
    task->notes_at = static_cast<std::uint32_t>(asked.notes_at() / 8);
    return *::new (memory + asked.notes_at()) TaskNotes{
        .flags = asked.flags, .goes_on = false, .behind_record = behind_record, .began_simply = false, .unused = false};
}

// For a task for which task::is_small holds.
[[gnu::always_inline]] inline kmpc::Task* allocate_small(team::Worker& worker, const Asked& asked, Function function,
                                                         task::TaskFlags flags) {
    task::Task& own = task::allocate_small(worker, function, asked.notes_at() + sizeof(TaskNotes), flags);
    auto* const task = reinterpret_cast<kmpc::Task*>(&own + 1);
    fill_in(task, asked, sizeof(task::Task) / 8);
    return task;
}

// For a task of any size, or while a probe is on.
[[gnu::noinline]] kmpc::Task* allocate_any(std::uint32_t flags, std::size_t bytes_of_task, std::size_t shared_bytes,
                                           TaskEntry entry) {
    team::Worker& worker = current_worker();
    const Asked asked{flags, bytes_of_task, shared_bytes, entry};
    const std::size_t bytes = asked.notes_at() + sizeof(TaskNotes) + sizeof(task::Task*);
    task::Task& own =
        task::allocate(worker, function_of(asked.flags, asked.entry), bytes, kAlign, flags_of(asked.flags));
    auto* const task = static_cast<kmpc::Task*>(own.args());
    const bool is_outside = task != own.place_of_args();
    TaskNotes& notes = fill_in(task, asked, is_outside ? 0 : own.args_at);
    if (is_outside) ::new (&notes + 1) task::Task*(&own);
    return task;
}

} // namespace

TEFF_EXPORT kmpc::Task* __kmpc_omp_task_alloc(Ident*, S32, S32 flags, std::size_t bytes, std::size_t shared_bytes,
                                              TaskEntry entry) {
    team::Worker* const worker = team::current_worker_if_any();
    const Asked asked{static_cast<std::uint32_t>(flags), bytes, shared_bytes, entry};
    const std::size_t arg_bytes = asked.notes_at() + sizeof(TaskNotes);
    if (TEFF_UNLIKELY(worker == nullptr || !task::is_small(*worker, arg_bytes)))
        return allocate_any(asked.flags, bytes, shared_bytes, entry);
    if (TEFF_LIKELY(asked.flags == kmpc::kTied && entry != nullptr)) // most tasks
        return allocate_small(*worker, asked, run_once, flags_of(kmpc::kTied));
    return allocate_small(*worker, asked, function_of(asked.flags, entry), flags_of(asked.flags));
}
TEFF_EXPORT kmpc::Task* __kmpc_omp_target_task_alloc(Ident* ident, S32 thread, S32 flags, std::size_t bytes,
                                                     std::size_t shared_bytes, TaskEntry entry, std::int64_t) {
    return __kmpc_omp_task_alloc(ident, thread, flags, bytes, shared_bytes, entry);
}

TEFF_EXPORT void* __kmpc_task_allow_completion_event(Ident*, S32, kmpc::Task* task) {
    TaskNotes& notes = notes_of(task);
    task::Task& own = record_of(task, notes);
    notes.flags |= kmpc::kDetachable;
    own.flags |= task::kDetachable;
    own.detachment = &task::reserve_event(current_worker());
    return reinterpret_cast<void*>(task::handle_of(*own.detachment));
}
TEFF_EXPORT S32 __kmpc_omp_reg_task_with_affinity(Ident*, S32, kmpc::Task*, S32, void*) { return 0; }

TEFF_EXPORT S32 __kmpc_omp_task(Ident*, S32, kmpc::Task* task) {
    team::Worker& worker = abi::worker_in_construct();
    TaskNotes& notes = notes_of(task);
    const bool is_untied = TEFF_UNLIKELY((notes.flags & kmpc::kTied) == 0);
    if (is_untied && worker.task->args() == task) notes.goes_on = true;
    else if (!try_create_simple(worker, record_of(task, notes), notes, false, TEFF_SITE))
        create_any(worker, task, {}, TEFF_SITE);
    return 0;
}
TEFF_EXPORT S32 __kmpc_omp_task_parts(Ident* ident, S32 thread, kmpc::Task* task) {
    return __kmpc_omp_task(ident, thread, task);
}
TEFF_EXPORT S32 __kmpc_omp_task_with_deps(Ident*, S32, kmpc::Task* task, S32 count, DependInfo* infos, S32 more,
                                          DependInfo* others) {
    team::Worker& worker = abi::worker_in_construct();
    TaskNotes& notes = notes_of(task);
    if (!try_create_simple(worker, record_of(task, notes), notes, true, TEFF_SITE))
        create_dependent(worker, task, infos_of(count, infos), infos_of(more, others), TEFF_SITE);
    return 0;
}

// A task with if(false): the program calls its entry between these two.
static_assert(sizeof(task::Underway) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kRecord)]);

namespace {

[[gnu::noinline]] void begin_any_if0(team::Worker& worker, kmpc::Task* task, base::CallSite site) {
    TaskNotes& notes = notes_of(task);
    task::Task& own = record_of(task, notes);
    own.underway = ::new (worker.blocks.take(mem::BlockSize::kRecord)) task::Underway{};
    const bool is_plain = (notes.flags & kmpc::kDetachable) == 0;
    if (is_plain && task::try_include_probed(worker, own, site, *own.underway)) return;
    const base::Ticks met = TEFF_UNLIKELY(worker.probes != 0) ? task::events::construct_begins(worker, site, 0) : 0;
    const task::TaskClauses clauses = clauses_of(*task, notes, own, {}, site);
    if (TEFF_UNLIKELY(clauses.event != nullptr)) {
        task::include_body(worker, own, clauses, met);
        if (TEFF_UNLIKELY(met != 0)) task::events::runs_at_once(worker);
    } else {
        task::include(worker, own, clauses, met);
    }
    *own.underway = task::begin(worker, own, __builtin_frame_address(0));
    if (TEFF_UNLIKELY(met != 0)) region::events::program_begins_body(worker, site);
}

// Calls the parts of an untied task after the first one, which the program has called, and the
// destructors.
[[gnu::noinline]] void complete_any_if0(kmpc::Task* task, TaskNotes& notes) {
    run_parts(task, notes);
    if ((notes.flags & kmpc::kDestructors) != 0) destroy(task);
    task::Task& own = record_of(task, notes);
    if (notes.began_simply) return task::end_simply(abi::worker_in_construct(), own);
    task::Underway* const underway = own.underway;
    const bool is_detachable = (own.flags & task::kDetachable) != 0;
    team::Worker& worker = abi::worker_in_construct();
    const std::uint32_t own_site = own.site; // the task may be gone when it has ended
    const base::Ticks began = underway->body.began;
    task::end(worker, own, *underway);
    worker.blocks.give_back(underway, mem::BlockSize::kRecord);
    if (TEFF_LIKELY(worker.probes == 0)) return;
    if (is_detachable && began != 0) task::events::ran_at_once(worker, own_site, began);
    if (is_detachable) task::events::creation_ends(worker);
    task::events::construct_ends(worker);
}

} // namespace

TEFF_EXPORT void __kmpc_omp_task_begin_if0(Ident*, S32, kmpc::Task* task) {
    team::Worker& worker = abi::worker_in_construct();
    TaskNotes& notes = notes_of(task);
    if (TEFF_UNLIKELY(worker.probes != 0 || (notes.flags & kmpc::kDetachable) != 0))
        return begin_any_if0(worker, task, TEFF_SITE);
    notes.began_simply = true;
    task::include_simply(worker, record_of(task, notes));
}
TEFF_EXPORT void __kmpc_omp_task_complete_if0(Ident*, S32, kmpc::Task* task) {
    TaskNotes& notes = notes_of(task);
    if (TEFF_UNLIKELY(notes.goes_on || (notes.flags & kmpc::kDestructors) != 0 || !notes.began_simply))
        return complete_any_if0(task, notes);
    task::end_simply(abi::worker_in_construct(), record_of(task, notes));
}

TEFF_EXPORT S32 __kmpc_omp_taskwait(Ident*, S32) { return task::wait_for_children(current_worker(), TEFF_SITE), 0; }
TEFF_EXPORT void __kmpc_omp_wait_deps(Ident*, S32, S32 count, DependInfo* infos, S32 more, DependInfo* others) {
    const Depends depends(infos_of(count, infos), infos_of(more, others));
    task::taskwait_depend(current_worker(), depends.items(), TEFF_SITE);
}
TEFF_EXPORT void __kmpc_omp_taskwait_deps_51(Ident*, S32, S32 count, DependInfo* infos, S32 more, DependInfo* others,
                                             S32 nowait) {
    const Depends depends(infos_of(count, infos), infos_of(more, others));
    if (nowait == 0) return task::taskwait_depend(current_worker(), depends.items(), TEFF_SITE);
    abi::keep_order(current_worker(), {.nowait = true, .depend = depends.items(), .site = TEFF_SITE});
}
TEFF_EXPORT S32 __kmpc_omp_taskyield(Ident*, S32, S32) { return task::yield(current_worker(), TEFF_SITE), 0; }

TEFF_EXPORT void __kmpc_taskloop(Ident*, S32, kmpc::Task* task, S32 if_value, std::uint64_t* low, std::uint64_t* up,
                                 std::int64_t step, S32 nogroup, S32 schedule, std::uint64_t size,
                                 Duplicate duplicate) {
    run_loop_of_tasks({task, if_value != 0, low, up, step, nogroup != 0, schedule, size, false, duplicate}, TEFF_SITE);
}
// Of Clang 20 and later.
TEFF_EXPORT void __kmpc_taskloop_5(Ident*, S32, kmpc::Task* task, S32 if_value, std::uint64_t* low, std::uint64_t* up,
                                   std::int64_t step, S32 nogroup, S32 schedule, std::uint64_t size, S32 modifier,
                                   Duplicate duplicate) {
    run_loop_of_tasks({task, if_value != 0, low, up, step, nogroup != 0, schedule, size, modifier != 0, duplicate},
                      TEFF_SITE);
}
