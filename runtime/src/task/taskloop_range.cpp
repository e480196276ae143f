// SPDX-License-Identifier: Apache-2.0
#include "task/taskloop_range.h"

#include <cstring>

namespace teff::task {

namespace {

constexpr std::size_t kAlign = 16; // alignment of the loop's arguments

// The arguments of a range. The arguments of the loop's tasks follow.
struct alignas(kAlign) Range {
    void (*function)(void*);
    std::size_t arg_bytes;
    TaskFlags flags;
    TaskloopParts parts;
    std::uint64_t next, end; // the remaining tasks, by number

    // Returns the arguments that all tasks of the range share. GCC's code copies the variables that
    // a task may change; libgomp also runs several tasks in turn on the same arguments.
    void* args() { return this + 1; }
    std::size_t bytes() const { return sizeof(Range) + arg_bytes; }
};

void run_range(void* memory);

// Makes a separate range of the second half of the remaining tasks.
void split_off(team::Worker& worker, Range& range) {
    const Task& whole = *worker.task;
    Task& half = allocate(worker, run_range, range.bytes(), kAlign, whole.flags & (kUntied | kCountsAsChild));
    half.parent = whole.parent;
    half.parent_id = whole.parent_id;
    half.depth = whole.depth;
    auto& second = *static_cast<Range*>(half.args());
    std::memcpy(&second, &range, range.bytes());
    second.next = range.end = range.next + (range.end - range.next) / 2;
    Task& parent = *whole.parent; // the parent cannot end before the range
    if (is_home(worker, parent)) parent.children.begin_home();
    else parent.children.begin_away();
    if (Taskgroup* const group = whole.group) group->begin_task(worker);
    team::Member::count(worker.member->created);
    detail::enqueue_or_run(worker, half);
}

bool may_split(team::Worker& worker, const Range& range) {
    const bool leaves_nothing = worker.member->lane.queue().deque.looks_empty();
    return leaves_nothing && range.end - range.next > 1 && worker.probes == 0;
}

void run_undeferred(team::Worker& worker, Range& range, const TaskloopPart& part) {
    create_any(worker, {.function = range.function,
                        .data = range.args(),
                        .copy = nullptr,
                        .arg_bytes = range.arg_bytes,
                        .arg_align = kAlign,
                        .flags = range.flags | kUndeferred, // the range ends after its tasks
                        .clauses = {.part = &part}});
}

void run_range(void* memory) {
    auto& range = *static_cast<Range*>(memory);
    team::Worker& worker = team::current_worker();
    const bool has_thieves = worker.member->team->size > 1;
    const TaskFlags flags = (range.flags & kUntied) | (worker.task->flags & kFree);
    TaskloopPart part = range.parts.before(range.next);
    for (; range.next < range.end; ++range.next) {
        if (has_thieves && TEFF_UNLIKELY(may_split(worker, range))) split_off(worker, range);
        range.parts.advance(part, range.next);
        part.place(range.args(), part);
        if (!try_run_simple(worker, range.function, range.args(), nullptr, range.arg_bytes, flags))
            run_undeferred(worker, range, part);
    }
}

} // namespace

const void* code_of(Task& task) {
    const bool is_range = task.function == run_range;
    return is_range ? reinterpret_cast<const void*>(static_cast<Range*>(task.args())->function) : task.code();
}

bool try_create_range(team::Worker& worker, const TaskConstruct& each, const TaskloopParts& parts,
                      std::uint64_t number) {
    constexpr TaskFlags kPlain = kUntied | kMergeable | kTaskloop;
    if (each.copy != nullptr || each.clauses.priority != 0 || each.arg_align > kAlign || (each.flags & ~kPlain) != 0)
        return false;
    Task& parent = *worker.task;
    if (worker.probes != 0 || (parent.flags & (kFinal | kOwnIcvs)) != 0) return false;
    // The tasks created before have settled the member's deferral.
    if (worker.member->deferral != team::Deferral::kToLane) return false;

    const std::size_t bytes = sizeof(Range) + each.arg_bytes;
    Task& task = allocate(worker, run_range, bytes, kAlign, (each.flags & kUntied) | kCountsAsChild);
    auto* const range = ::new (task.args()) Range{.function = each.function,
                                                  .arg_bytes = each.arg_bytes,
                                                  .flags = each.flags,
                                                  .parts = parts,
                                                  .next = number,
                                                  .end = parts.split.tasks};
    std::memcpy(range->args(), each.data, each.arg_bytes);
    detail::count_in(worker, parent);
    detail::enqueue_or_run(worker, task);
    return true;
}

} // namespace teff::task
