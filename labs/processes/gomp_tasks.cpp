// SPDX-License-Identifier: Apache-2.0
// The entry points for tasks.
#include "abi/export.h"
#include "abi/gomp_depend.h"
#include "abi/gomp_task_flags.h"
#include "loop/iterations.h"
#include "processes/flush.h"
#include "processes/reductions.h"
#include "processes/tasks.h"
#include "processes/team.h"
#include "task/taskloop_split.h"

using namespace teff::abi;
using namespace teff::processes;
using teff::loop::Iterations;

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);

std::uint32_t flags_of(unsigned gcc, bool if_clause) {
    return ((gcc & kGccFinal) != 0 ? tasks::kFinal : 0u) | (if_clause ? 0u : tasks::kUndeferred);
}

constexpr std::uint64_t kTasksPerMember = 8;

teff::task::TaskloopSplit split(unsigned flags, std::uint64_t size, std::uint64_t iterations) {
    if ((flags & kGccGrainsize) != 0)
        return teff::task::split_by_grainsize(iterations, size, (flags & kGccStrict) != 0);
    return teff::task::split_by_tasks(iterations, size != 0 ? size : current_team().size * kTasksPerMember);
}

void taskloop(const tasks::Construct& construct, unsigned flags, std::uint64_t size, const Iterations& all) {
    const bool own_group = (flags & kGccNogroup) == 0;
    const bool reduces = own_group && (flags & kGccReduction) != 0;
    std::uintptr_t* const blocks = reduces ? static_cast<std::uintptr_t**>(construct.data)[2] : nullptr;
    if (all.count == 0) {
        if (reduces) blocks[2] = 0; // GCC's code sees that there are no copies
        return;
    }
    if (own_group) tasks::begin_group();
    if (reduces) reductions::begin_taskgroup(blocks);
    const teff::task::TaskloopSplit parts = split(flags, size, all.count);
    for (std::uint64_t i = 0, first = 0; i < parts.tasks; ++i) {
        const std::uint64_t last = first + parts.size_of(i);
        tasks::create_loop_task(construct, all.value(first), all.bound(last));
        first = last;
    }
    if (own_group) tasks::end_group();
}

tasks::Construct construct_of(Body body, void* data, Copy copy, long bytes, long alignment, std::uint32_t flags) {
    return {body, data, copy, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment), flags};
}

} // namespace

TEFF_EXPORT void GOMP_task(Body body, void* data, Copy copy, long bytes, long alignment, bool if_clause, unsigned flags,
                           void** depend, int, void** event) {
    const teff::abi::DependList dependences((flags & kGccDepend) != 0 ? depend : nullptr);
    tasks::Construct construct = construct_of(body, data, copy, bytes, alignment, flags_of(flags, if_clause));
    construct.depend = dependences.items();
    if ((flags & kGccDetach) != 0) construct.event = event;
    tasks::create(construct);
}

TEFF_EXPORT void GOMP_taskloop(Body body, void* data, Copy copy, long bytes, long alignment, unsigned flags,
                               unsigned long size, int, long start, long end, long step) {
    taskloop(construct_of(body, data, copy, bytes, alignment, flags_of(flags, (flags & kGccIf) != 0)), flags, size,
             Iterations::of(start, end, step));
}

TEFF_EXPORT void GOMP_taskloop_ull(Body body, void* data, Copy copy, long bytes, long alignment, unsigned flags,
                                   unsigned long size, int, unsigned long long start, unsigned long long end,
                                   unsigned long long step) {
    taskloop(construct_of(body, data, copy, bytes, alignment, flags_of(flags, (flags & kGccIf) != 0)), flags, size,
             Iterations::of((flags & kGccUp) != 0, start, end, step));
}

TEFF_EXPORT void GOMP_taskwait() { tasks::wait_for_children(); }
TEFF_EXPORT void GOMP_taskwait_depend(void** depend) {
    const teff::abi::DependList dependences(depend);
    tasks::wait_for_dependences(dependences.items());
}
// Runs no task here, because the task would run on top of this task, which may hold locks.
TEFF_EXPORT void GOMP_taskyield() {
    if (flush_if_shared(Why::yield)) tasks::offer(); // a program may wait in a loop for what others do
}
TEFF_EXPORT void GOMP_taskgroup_start() { tasks::begin_group(); }
TEFF_EXPORT void GOMP_taskgroup_end() { tasks::end_group(); }
