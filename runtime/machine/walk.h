// SPDX-License-Identifier: Apache-2.0
//
// Walk: what the threads and tasks of a task graph do on a modelled machine, step by step.
//
// Owns the objects that a program's tasks share: joins, loops, locks and signals. Each wait is the
// runtime's (sched/wait.h), with a condition that this file defines; locks, and the words on which
// threads wait for signals, are also the runtime's. A loop hands out chunks by one counter, as
// loop/ does with dynamic schedules.
//
// A wait runs any task on top of the waiting task's stack, whereas the runtime would run tasks that
// are not descendants on stacks of their own. But some waits are bound, and run only descendants
// (task/eligible.h). These are the waits of a task, or of a thread's part, that waits while it
// holds a lock, and the waits of its descendants. Otherwise a task that needs the lock could be
// stacked on a task for which the lock's holder waits, and neither could continue.
//
// Host provides the surroundings (team.cpp):
//
//     Atomics, Worker, Task, Wait
//     create(Worker&, number), call(Worker&, number)   a task that others may run; one that runs at once
//     end(Worker&, Task&)                              ends the rest of the task: its body or its event
//     barrier(Worker&)
//     waited(Worker&, EventKind, Time begin)           a wait of its current task is over
//     nest(Worker&, bool in)                           counts nested tasks in and out: a stack has limited space
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "machine/atomics.h"
#include "machine/events.h"
#include "machine/task_graph.h"
#include "sched/runnable.h"
#include "sync/lock_waiters.h"
#include "sync/program_lock.h"
#include "sync/wait_word.h"
#include "teff_trace.h"

namespace teff::machine {

template <class Host> class WalkOver {
  public:
    using Worker = typename Host::Worker;

    explicit WalkOver(const TaskGraph& graph)
        : graph_(graph), joins_(new Join[graph.joins]), loops_(new Loop[graph.loops.size()]),
          locks_(new Lock[graph.locks]), signals_(new Signal[graph.signals]),
          origins_(graph.tasks.size() + kMostThreads), holding_loops_(graph.loops.size()) {
        for (std::uint32_t i = 0; i < graph.loops.size(); ++i)
            holding_loops_[i] = std::any_of(graph.loops[i].begin(), graph.loops[i].end(),
                                            [&](const StepRange& piece) { return waits_holding(piece); });
        for (const GraphTask& task : graph.tasks)
            if (task.join != kNoJoin) joins_[task.join].left.fetch_add(1, std::memory_order_relaxed);
        for (std::uint32_t i = 0; i < kMostThreads; ++i)
            current_[i] = ground(i);
    }

    // Executes the part of the first thread: everything outside of regions.
    void run_program(Worker& worker) {
        run_ground(worker, graph_.program);
        program_end_ = Simulation::active()->now();
        region_.store(kNoRegion, std::memory_order_relaxed);
        Host::barrier(worker);
    }

    // Executes the parts of any other thread in all regions. Between regions the thread waits at a
    // barrier, at which the first thread arrives when it begins a region, and at the end.
    void follow(Worker& worker) {
        for (;;) {
            Host::barrier(worker);
            const std::uint32_t region = region_.load(std::memory_order_relaxed);
            if (region == kNoRegion) return;
            run_ground(worker, graph_.part(region, worker.member->number));
            Host::barrier(worker);
        }
    }

    void run_task(Worker& worker, std::uint32_t number) {
        std::uint32_t& current = current_[worker.member->number];
        const std::uint32_t outer = std::exchange(current, number);
        run(worker, graph_.tasks[number].steps);
        current = outer;
    }

    // The current task of the worker, or kNoTask.
    std::uint32_t current(const Worker& worker) const {
        const std::uint32_t task = current_[worker.member->number];
        return task < graph_.tasks.size() ? task : kNoTask;
    }

    // Called when the task has ended.
    void ended(std::uint32_t number) {
        const std::uint32_t join = graph_.tasks[number].join;
        if (join == kNoJoin) return;
        if (joins_[join].left.fetch_sub(1, std::memory_order_acq_rel) == kSleeps + 1)
            joins_[join].sleeper->parker.unpark(TEFF_WAKE_EVENT);
    }

    // How the threads spend their time, summed over all threads.
    Time work() const { return std::accumulate(work_.begin(), work_.end(), Time{0}); }
    Time creation() const { return creation_; }
    // When the first thread had completed everything outside of regions.
    Time program_end() const { return program_end_; }

  private:
    static constexpr std::uint32_t kNoRegion = ~0u;
    static constexpr std::uint32_t kSleeps = 1u << 31; // in Join::left: who waits is to be woken

    struct alignas(base::kCacheLine) Join {
        atomic<std::uint32_t> left{0}; // tasks that have not ended
        Worker* sleeper = nullptr;
    };

    // The origin of each task, and of each thread outside of tasks.
    struct Origin {
        std::uint32_t parent = kNoTask, depth = 0;
        bool bound = false;
    };

    // Which tasks may run: all tasks, or the descendants of `waiting` and of the tasks of the join.
    struct Eligible {
        const WalkOver& walk;
        std::uint32_t waiting, join;

        bool constrained() const { return walk.origins_[waiting].bound; }
        bool operator()(const sched::Runnable* item) const {
            return !constrained() || walk.is_below(static_cast<const typename Host::Task*>(item)->number, *this);
        }
    };

    struct JoinEnded {
        Join& join;
        Worker& worker;
        Eligible may_run;

        bool over() const { return (join.left.load(std::memory_order_acquire) & ~kSleeps) == 0; }
        bool try_arm() {
            join.sleeper = &worker;
            return (join.left.fetch_or(kSleeps, std::memory_order_acq_rel) & ~kSleeps) != 0;
        }
        void disarm() { join.left.fetch_and(~kSleeps, std::memory_order_relaxed); }
        void ran_out() {}
        const Eligible& eligible() const { return may_run; }
    };

    struct alignas(base::kCacheLine) Loop {
        atomic<std::uint32_t> next{0};
    };

    struct LockLimits {
        static constexpr int kPauses = sync::LockLimits::kPauses;
        static base::Ticks patience() { return sync::LockLimits::patience(); }
        static constexpr unsigned kBucketBits = 0; // a table for each lock: which share a bucket is left to chance
        static base::Ticks now() { return Simulation::active()->now() / kCycle; }
    };
    struct alignas(base::kCacheLine) Lock {
        sync::ProgramLockOver<Atomics, LockLimits> word;
        sync::LockWaitersOver<Atomics, LockLimits> waiters;
        const void* holder = nullptr;
    };

    struct alignas(base::kCacheLine) Signal {
        atomic<std::uint32_t> posted{0};
        sync::WaitWordOver<Atomics> word;
    };

    std::uint32_t ground(std::uint32_t thread) const {
        return static_cast<std::uint32_t>(graph_.tasks.size()) + thread;
    }

    void run_ground(Worker& worker, const StepRange& steps) {
        bool& bound = origins_[ground(worker.member->number)].bound;
        const bool outer = std::exchange(bound, bound || waits_holding(steps));
        run(worker, steps);
        bound = outer;
    }

    void note_origin(Worker& worker, std::uint32_t task) {
        const std::uint32_t parent = current_[worker.member->number];
        origins_[task] = {parent, origins_[parent].depth + 1,
                          origins_[parent].bound || waits_holding(graph_.tasks[task].steps)};
    }

    bool is_below(std::uint32_t task, const Eligible& wait) const {
        for (std::uint32_t at = task; origins_[at].depth > 0; at = origins_[at].parent)
            if (graph_.tasks[at].join == wait.join || origins_[at].parent == wait.waiting) return true;
        return false;
    }

    // Whether these steps contain a wait during which they hold a lock.
    bool waits_holding(const StepRange& steps) const {
        if (graph_.locks == 0) return false;
        unsigned held = 0;
        for (std::uint32_t at = steps.begin; at < steps.end; ++at) {
            const Step& step = graph_.steps[at];
            if (step.kind == StepKind::lock) ++held;
            if (step.kind == StepKind::unlock && held > 0) --held;
            if (step.kind == StepKind::loop && holding_loops_[step.number]) return true;
            const bool may_wait =
                step.kind == StepKind::wait || step.kind == StepKind::call || step.kind == StepKind::loop;
            if (may_wait && held > 0) return true;
        }
        return false;
    }

    void run(Worker& worker, const StepRange& steps) {
        if (!Host::nest(worker, true)) return;
        for (std::uint32_t at = steps.begin; at < steps.end; ++at)
            run(worker, graph_.steps[at]);
        Host::nest(worker, false);
    }

    void run(Worker& worker, const Step& step) {
        switch (step.kind) {
        case StepKind::work:
            return do_work(step.work_ns);
        case StepKind::create:
            return create(worker, step.number);
        case StepKind::call:
            note_origin(worker, step.number);
            return Host::call(worker, step.number);
        case StepKind::wait:
            return wait(worker, step.number);
        case StepKind::barrier:
            return Host::barrier(worker);
        case StepKind::region:
            return lead(worker, step.number);
        case StepKind::loop:
            return take_pieces(worker, step.number);
        case StepKind::lock:
            return lock(worker, locks_[step.number]);
        case StepKind::unlock:
            return unlock(worker, locks_[step.number]);
        case StepKind::await:
            return await(worker, signals_[step.number]);
        case StepKind::post:
            return post(signals_[step.number]);
        case StepKind::fulfil:
            return Host::end(worker, step.number);
        }
    }

    void do_work(std::uint64_t ns) {
        Simulation& machine = *Simulation::active();
        const Time time = ns * machine.description().work_clock(); // a cycle has a thousand parts, a us as many ns
        machine.pass(time);
        work_[machine.core()] += time;
    }

    void create(Worker& worker, std::uint32_t task) {
        Simulation& machine = *Simulation::active();
        const Time before = machine.now(), worked = work_[machine.core()];
        note_origin(worker, task);
        Host::create(worker, task);
        // If there was no space for the task, it has already run.
        if (work_[machine.core()] == worked) creation_ += machine.now() - before;
    }

    void wait(Worker& worker, std::uint32_t join) {
        JoinEnded ended{joins_[join], worker, {*this, current_[worker.member->number], join}};
        const Time begin = Simulation::active()->now();
        typename Host::Wait().until(worker, ended);
        Host::waited(worker, EventKind::wait, begin);
    }

    void lead(Worker& worker, std::uint32_t region) {
        region_.store(region, std::memory_order_relaxed);
        Host::barrier(worker);
        run_ground(worker, graph_.part(region, 0));
        Host::barrier(worker);
    }

    void take_pieces(Worker& worker, std::uint32_t number) {
        const std::vector<StepRange>& pieces = graph_.loops[number];
        for (;;) {
            const std::uint32_t piece = loops_[number].next.fetch_add(1, std::memory_order_relaxed);
            if (piece >= pieces.size()) return;
            run(worker, pieces[piece]);
        }
    }

    TEFF_LOCK_CROSSES_CALLS void lock(Worker& worker, Lock& lock) {
        const Time begin = Simulation::active()->now();
        if (!lock.word.try_lock()) {
            sync::InPlaceWaiterOver<Atomics> waiter(0);
            lock.word.wait(lock.waiters, waiter);
            Host::waited(worker, EventKind::lock, begin);
        }
        lock.holder = &worker;
    }
    // If the caller does not hold the lock, nothing happens.
    TEFF_LOCK_CROSSES_CALLS void unlock(Worker& worker, Lock& lock) {
        if (lock.holder != &worker) return;
        lock.holder = nullptr;
        lock.word.unlock(lock.waiters);
    }

    void await(Worker& worker, Signal& signal) {
        const Time begin = Simulation::active()->now();
        const Time spin = Simulation::active()->description().spin / Atomics::kPause;
        signal.word.wait_until(static_cast<unsigned>(std::min<Time>(spin, 1u << 20)), 0,
                               [&] { return signal.posted.load(std::memory_order_acquire) != 0; });
        Host::waited(worker, EventKind::signal, begin);
    }
    void post(Signal& signal) {
        signal.posted.store(1, std::memory_order_release);
        signal.word.notify();
    }

    const TaskGraph& graph_;
    std::unique_ptr<Join[]> joins_;
    std::unique_ptr<Loop[]> loops_;
    std::unique_ptr<Lock[]> locks_;
    std::unique_ptr<Signal[]> signals_;
    std::vector<Origin> origins_;
    std::vector<bool> holding_loops_;                      // in whose pieces somebody waits with a lock
    std::array<std::uint32_t, kMostThreads> current_ = {}; // of each thread: its task, or its ground
    atomic<std::uint32_t> region_{kNoRegion};              // that the threads are to begin
    std::array<Time, kMostThreads> work_ = {};             // of each core
    Time creation_ = 0, program_end_ = 0;
};

} // namespace teff::machine
