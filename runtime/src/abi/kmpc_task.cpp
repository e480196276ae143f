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
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/target_task.h"
#include "base/report.h"
#include "loop/iterations.h"
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

struct LoopOfTasks;

struct TaskNotes {
    task::Task* task; // the core's record
    union {
        task::Detachment* event;  // until the task is created: its event, if one was asked for
        task::Underway* underway; // between begin_if0 and complete_if0
    };
    const LoopOfTasks* loop; // a taskloop's tasks, while they are created
    std::uint32_t bytes;     // of the task's memory, without the notes
    std::uint16_t flags;     // kmpc::TaskFlag
    bool goes_on;            // untied: the entry asks to be called again
};
static_assert(sizeof(TaskNotes) == 32);

constexpr std::size_t kAlign = base::kCacheLine; // of private variables

TaskNotes& notes_of(kmpc::Task* task) {
    return *reinterpret_cast<TaskNotes*>(reinterpret_cast<char*>(task) + std::size_t{task->notes_at} * 8);
}

S32 thread_number() { return static_cast<S32>(current_worker().number); }

// Calls the entry as long as it asks for it.
void run_parts(kmpc::Task* task, TaskNotes& notes) {
    while (notes.goes_on) {
        notes.goes_on = false;
        task->entry(thread_number(), task);
    }
}

// The same while a probe is on: this frame is the one that calls the task's code.
TEFF_APART void run_parts_probed(const team::Worker& worker, kmpc::Task* task, TaskNotes& notes) {
    if (void** const frame = region::events::exit_frame(worker)) *frame = __builtin_frame_address(0);
    run_parts(task, notes);
}

// The function of all tasks.
void run_entry(void* memory) {
    auto* const task = static_cast<kmpc::Task*>(memory);
    TaskNotes& notes = notes_of(task);
    const bool destroys = (notes.flags & kmpc::kDestructors) != 0;
    const team::Worker& worker = current_worker();
    notes.task = worker.task; // a taskloop's task was copied with its pattern's notes
    // Such a task begins even if it is cancelled, because of its destructors.
    const bool is_constructed = (worker.task->flags & task::kConstructed) != 0;
    const bool is_cancelled = is_constructed && task::cancelled(*worker.member->team, worker.task->group);
    notes.goes_on = !is_cancelled && task->entry != nullptr; // null: a taskwait with depend and nowait
    if (TEFF_UNLIKELY(worker.probes != 0)) run_parts_probed(worker, task, notes);
    else run_parts(task, notes);
    if (destroys) task->data_1.destroy(thread_number(), task);
}

task::TaskFlags flags_of(std::uint32_t flags) {
    return ((flags & kmpc::kTied) == 0 ? task::kUntied : 0) | ((flags & kmpc::kFinal) != 0 ? task::kFinal : 0) |
           ((flags & kmpc::kMergedIf0) != 0 ? task::kMergeable : 0) |
           ((flags & kmpc::kDestructors) != 0 ? task::kConstructed : 0);
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

// The items of a construct's depend clauses, for as long as the object lives.
class Depends {
  public:
    Depends(S32 count, const DependInfo* infos) {
        static void* const all_memory = nullptr;
        if (count <= 0) return;
        const auto items = static_cast<std::size_t>(count);
        runs_ = items <= kShort ? short_ : static_cast<task::DependRun*>(std::malloc(items * sizeof *runs_));
        if (runs_ == nullptr) base::fatal(0, "no memory for the depend clauses of a task");
        for (std::size_t i = 0; i < items; ++i) {
            const bool is_all = (infos[i].kind & kmpc::kAllMemory) != 0 || infos[i].address == kmpc::kAllAddresses;
            runs_[i] = {is_all ? &all_memory : &infos[i].address, 1,
                        is_all ? task::ItemKind::kOut : item_kind(infos[i].kind)};
        }
        count_ = items;
    }
    ~Depends() {
        if (runs_ != short_) std::free(runs_);
    }
    Depends(const Depends&) = delete;
    Depends& operator=(const Depends&) = delete;

    task::DependItems items() const { return {count_ != 0 ? runs_ : nullptr, count_}; }

  private:
    static constexpr std::size_t kShort = 6;
    task::DependRun short_[kShort];
    task::DependRun* runs_ = short_;
    std::size_t count_ = 0;
};

task::TaskClauses clauses_of(const kmpc::Task& task, const TaskNotes& notes, const task::DependItems& depend,
                             base::CallSite site) {
    return {.priority = (notes.flags & kmpc::kPriority) != 0 ? task.data_2.priority : 0,
            .depend = depend,
            .event = notes.event,
            .site = site};
}

// `met`: when the construct was met, if a probe is on; otherwise 0.
[[gnu::always_inline]] inline void create(team::Worker& worker, kmpc::Task* task, const task::DependItems& depend,
                                          base::CallSite site, base::Ticks met) {
    TaskNotes& notes = notes_of(task);
    task::TaskClauses clauses = clauses_of(*task, notes, depend, site);
    task::Task& own = *notes.task;
    if (depend.given() && met == 0 && clauses.event == nullptr && task::runs_dependent_at_once(worker, own.flags)) {
        clauses.depend = {};
        task::include(worker, own, clauses, met);
        return task::run_included(worker, own);
    }
    if (depend.given()) own.flags |= task::kDependent;
    if (notes.event != nullptr) own.flags |= task::kDetachable;
    if (task::is_deferred(worker, own.flags, clauses)) return task::submit(worker, own, clauses, met);
    task::include(worker, own, clauses, met);
    task::run_included(worker, own);
}

TEFF_APART void create_probed(team::Worker& worker, kmpc::Task* task, const task::DependItems& depend,
                              base::CallSite site) {
    create(worker, task, depend, site, task::events::construct_begins(worker, site, 0));
    task::events::construct_ends(current_worker());
}

void create(kmpc::Task* task, const task::DependItems& depend, base::CallSite site) {
    team::Worker& worker = current_worker();
    if (TEFF_UNLIKELY(worker.probes != 0)) return create_probed(worker, task, depend, site);
    create(worker, task, depend, site, 0);
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

    std::uint64_t count() const {
        const auto first = static_cast<std::int64_t>(*low), last = static_cast<std::int64_t>(*up);
        return loop::Iterations::count_to_inclusive(first, last, step);
    }
    // Stores a bound where the task `memory` has it.
    void store(void* memory, const std::uint64_t* in_pattern, std::uint64_t value) const {
        const std::ptrdiff_t at = reinterpret_cast<const char*>(in_pattern) - reinterpret_cast<const char*>(pattern);
        std::memcpy(static_cast<char*>(memory) + at, &value, sizeof value);
    }
};

// A taskloop's task: a copy of the pattern. The bounds and the copies of private variables follow
// in place_bounds.
void copy_pattern(void* to, void* from) {
    auto* const pattern = static_cast<kmpc::Task*>(from);
    auto* const task = static_cast<kmpc::Task*>(to);
    const TaskNotes& notes = notes_of(pattern);
    std::memcpy(to, from, notes.bytes + sizeof notes);
    if (pattern->shareds == nullptr) return;
    const std::ptrdiff_t at = static_cast<char*>(pattern->shareds) - static_cast<char*>(from);
    task->shareds = static_cast<char*>(to) + at;
}

void place_bounds(void* memory, const task::TaskloopPart& part) {
    auto* const task = static_cast<kmpc::Task*>(memory);
    const LoopOfTasks& loop = *notes_of(task).loop;
    loop.store(memory, loop.low, part.first);
    loop.store(memory, loop.up, part.end - static_cast<std::uint64_t>(loop.step)); // inclusive
    const bool is_last = part.first_iteration + part.iterations == part.all;
    if (loop.duplicate != nullptr) loop.duplicate(task, loop.pattern, is_last);
}

// The pattern's destructors are called here: it is no task.
void run_loop_of_tasks(const LoopOfTasks& loop, base::CallSite site) {
    TaskNotes& notes = notes_of(loop.pattern);
    notes.loop = &loop;
    const bool has_priority = (notes.flags & kmpc::kPriority) != 0;
    task::run_taskloop(
        current_worker(),
        {.task = {.function = run_entry,
                  .data = loop.pattern,
                  .copy = copy_pattern,
                  .arg_bytes = notes.bytes + sizeof notes,
                  .arg_align = kAlign,
                  .flags = flags_of(notes.flags) | task::kConstructed | task::kTaskloop |
                           (loop.is_if ? 0 : task::kUndeferred),
                  .clauses = {.priority = has_priority ? loop.pattern->data_2.priority : 0, .site = site}},
         .place = place_bounds,
         .start = *loop.low,
         .step = static_cast<std::uint64_t>(loop.step),
         .count = loop.count(),
         .size = loop.schedule != 0 ? loop.size : 0,
         .by_grainsize = loop.schedule == 1,
         .strict = loop.is_strict,
         .own_group = !loop.has_no_group});
    if ((notes.flags & kmpc::kDestructors) != 0) loop.pattern->data_1.destroy(thread_number(), loop.pattern);
    task::reclaim(current_worker(), *notes.task);
}

} // namespace

// `bytes`: of kmpc::Task and the private variables.
TEFF_EXPORT kmpc::Task* __kmpc_omp_task_alloc(Ident*, S32, S32 flags, std::size_t bytes, std::size_t shared_bytes,
                                              TaskEntry entry) {
    team::Worker& worker = current_worker();
    const std::size_t shared_at = rounded(bytes), notes_at = shared_at + rounded(shared_bytes);
    const auto asked = static_cast<std::uint32_t>(flags);
    task::Task& own = task::allocate(worker, run_entry, notes_at + sizeof(TaskNotes), kAlign, flags_of(asked));
    auto* const task = static_cast<kmpc::Task*>(own.args());
    char* const memory = reinterpret_cast<char*>(task);
    *task = {.shareds = shared_bytes != 0 ? memory + shared_at : nullptr,
             .entry = entry,
             .part = 0,
             .notes_at = static_cast<std::uint32_t>(notes_at / 8),
             .data_1 = {.word = nullptr},
             .data_2 = {.word = nullptr}};
    ::new (memory + notes_at) TaskNotes{.task = &own,
                                        .event = nullptr,
                                        .loop = nullptr,
                                        .bytes = static_cast<std::uint32_t>(notes_at),
                                        .flags = static_cast<std::uint16_t>(asked),
                                        .goes_on = false};
    return task;
}
TEFF_EXPORT kmpc::Task* __kmpc_omp_target_task_alloc(Ident* ident, S32 thread, S32 flags, std::size_t bytes,
                                                     std::size_t shared_bytes, TaskEntry entry, std::int64_t) {
    return __kmpc_omp_task_alloc(ident, thread, flags, bytes, shared_bytes, entry);
}

TEFF_EXPORT void* __kmpc_task_allow_completion_event(Ident*, S32, kmpc::Task* task) {
    TaskNotes& notes = notes_of(task);
    notes.event = &task::reserve_event(current_worker());
    return reinterpret_cast<void*>(task::handle_of(*notes.event));
}
TEFF_EXPORT S32 __kmpc_omp_reg_task_with_affinity(Ident*, S32, kmpc::Task*, S32, void*) { return 0; }

TEFF_EXPORT S32 __kmpc_omp_task(Ident*, S32, kmpc::Task* task) {
    TaskNotes& notes = notes_of(task);
    if (notes.task == current_worker().task) notes.goes_on = true;
    else create(task, {}, TEFF_SITE);
    return 0;
}
TEFF_EXPORT S32 __kmpc_omp_task_parts(Ident* ident, S32 thread, kmpc::Task* task) {
    return __kmpc_omp_task(ident, thread, task);
}
TEFF_EXPORT S32 __kmpc_omp_task_with_deps(Ident*, S32, kmpc::Task* task, S32 count, DependInfo* infos, S32 more,
                                          DependInfo* others) {
    const Depends depends(count > 0 ? count : more, count > 0 ? infos : others);
    create(task, depends.items(), TEFF_SITE);
    return 0;
}

// A task with if(false): the program calls its entry between these two.
TEFF_EXPORT void __kmpc_omp_task_begin_if0(Ident*, S32, kmpc::Task* task) {
    team::Worker& worker = current_worker();
    TaskNotes& notes = notes_of(task);
    const base::Ticks met =
        TEFF_UNLIKELY(worker.probes != 0) ? task::events::construct_begins(worker, TEFF_SITE, 0) : 0;
    if (notes.event != nullptr) notes.task->flags |= task::kDetachable;
    task::include(worker, *notes.task, clauses_of(*task, notes, {}, TEFF_SITE), met);
    auto* const underway = static_cast<task::Underway*>(std::malloc(sizeof(task::Underway)));
    if (underway == nullptr) base::fatal(0, "no memory for a task");
    notes.underway =
        ::new (underway) task::Underway(task::begin(current_worker(), *notes.task, __builtin_frame_address(0)));
    if (TEFF_UNLIKELY(met != 0)) region::events::program_begins_body(current_worker(), TEFF_SITE);
}
TEFF_EXPORT void __kmpc_omp_task_complete_if0(Ident*, S32, kmpc::Task* task) {
    TaskNotes& notes = notes_of(task);
    run_parts(task, notes); // the program has run the first one
    if ((notes.flags & kmpc::kDestructors) != 0) task->data_1.destroy(thread_number(), task);
    task::Underway* const underway = notes.underway;
    team::Worker& worker = current_worker();
    task::end(worker, *notes.task, *underway);
    std::free(underway);
    if (TEFF_UNLIKELY(worker.probes != 0)) task::events::construct_ends(worker);
}

TEFF_EXPORT S32 __kmpc_omp_taskwait(Ident*, S32) { return task::wait_for_children(current_worker(), TEFF_SITE), 0; }
TEFF_EXPORT void __kmpc_omp_wait_deps(Ident*, S32, S32 count, DependInfo* infos, S32, DependInfo*) {
    const Depends depends(count, infos);
    task::taskwait_depend(current_worker(), depends.items(), TEFF_SITE);
}
TEFF_EXPORT void __kmpc_omp_taskwait_deps_51(Ident*, S32, S32 count, DependInfo* infos, S32, DependInfo*, S32 nowait) {
    const Depends depends(count, infos);
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
