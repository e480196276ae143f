// SPDX-License-Identifier: Apache-2.0
#include "task/taskloop_run.h"

#include "task/reduction.h"

namespace teff::task {

namespace {

// The head of a taskloop's arguments, as GCC lays it out.
template <class Number> struct Head {
    Number first, end;
    std::uintptr_t* reductions; // with Taskloop::reductions only
};

std::uint64_t iterations(const Taskloop<long>& loop) {
    const auto start = static_cast<std::uint64_t>(loop.start), end = static_cast<std::uint64_t>(loop.end);
    const auto step = static_cast<std::uint64_t>(loop.step);
    if (loop.step > 0) return loop.start < loop.end ? (end - start - 1) / step + 1 : 0;
    return loop.start > loop.end ? (start - end - 1) / (0 - step) + 1 : 0;
}

std::uint64_t iterations(const Taskloop<unsigned long long>& loop) {
    if (loop.up) return loop.start < loop.end ? (loop.end - loop.start - 1) / loop.step + 1 : 0;
    return loop.start > loop.end ? (loop.start - loop.end - 1) / (0 - loop.step) + 1 : 0;
}

template <class Number> TaskloopSplit split(team::Worker& worker, const Taskloop<Number>& loop) {
    const std::uint64_t count = iterations(loop);
    if (loop.by_grainsize) return split_by_grainsize(count, loop.size, loop.strict);
    return split_by_tasks(count, loop.size != 0 ? loop.size : worker.member->team->size);
}

// Creates task after task. The bounds go into each task's own arguments after the copy: a copy function does not bring them along.
template <class Number> void create_tasks(team::Worker& worker, const Taskloop<Number>& loop) {
    const TaskloopSplit parts = split(worker, loop);
    TaskConstruct construct = loop.task;
    std::uint64_t bounds[2] = {0,
                               static_cast<std::uint64_t>(loop.start)}; // modular arithmetic: the last bound may wrap
    construct.bounds = bounds;
    for (std::uint64_t part = 0; part < parts.tasks; ++part) {
        bounds[0] = bounds[1];
        construct.first_iteration += construct.iterations;
        construct.iterations = parts.size_of(part);
        bounds[1] += construct.iterations * static_cast<std::uint64_t>(loop.step);
        create_any(worker, construct);
    }
}

template <class Number> void run_any(team::Worker& worker, const Taskloop<Number>& loop) {
    auto& head = *static_cast<Head<Number>*>(loop.task.data);
    const bool nothing = iterations(loop) == 0 || cancelled(*worker.member->team, worker.task->group);
    if (nothing) {
        if (loop.own_group && loop.reductions) head.reductions[2] = 0; // GCC's code sees that there are no copies
        return;
    }
    const std::uint64_t count = iterations(loop);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::taskloop_begins(worker, count, loop.task.site);
    if (loop.own_group) taskgroup_begin(worker, loop.task.site);
    if (loop.own_group && loop.reductions) register_reductions(worker, head.reductions);
    create_tasks(worker, loop);
    if (loop.own_group) taskgroup_end(worker, loop.task.site);
    team::Worker& after = team::current_worker();
    if (TEFF_UNLIKELY(after.probes != 0)) events::taskloop_ends(after, count, loop.task.site);
}

} // namespace

void run_taskloop(team::Worker& worker, const Taskloop<long>& loop) { run_any(worker, loop); }
void run_taskloop(team::Worker& worker, const Taskloop<unsigned long long>& loop) { run_any(worker, loop); }

} // namespace teff::task
