// SPDX-License-Identifier: Apache-2.0
//
// Policy: decides which member runs which ready task.
//
// A policy keeps the ready tasks of one team. It knows a task only as a Runnable. A policy decides
// which task a member gets next, and therefore also whether a waiter may run a task: either the
// task's position in a queue proves that the waiter may run it, or the policy asks the waiter. Code
// outside of a policy never sees positions in queues.
//
// TEFF_SCHEDULE names the policy for the whole process. The default, work_stealing.h, is part of
// every Scheduler, so that its short paths are inlined. All other policies implement this
// interface; each has one file, and a line in policies.cpp and in icv::kSchedulePolicies. A policy
// may replace the default (kInPlaceOfDefault) or complement it (kBesideDefault). A policy that
// complements the default gets the tasks that the default's short paths refuse, and is asked when a
// member's own queue has no task. With kBesideForHomes, tasks also get homes.
//
// A policy is a template over the atomics (base/atomics.h), so that the explorer and modelled
// machines run it from the same source.
#pragma once

#include <cstdint>

#include "sched/lane.h"
#include "sched/runnable.h"

namespace teff::sched {

// How closely a member looks for tasks. A brief look may miss a task that another member tries to
// take at the same time, or a task far back in a common queue. A thorough look examines all tasks.
// A member looks thoroughly before it spins or yields, and before it sleeps (wait.h).
enum class Look : bool { kBrief, kThorough };

// Which tasks a member asks a policy for.
enum class Sought : std::uint8_t {
    kOnTop,     // tasks outside of its own queue, to run on top of its current task
    kUnrelated, // all tasks that the waiter admits, to run on a stack of their own
    kRaised,    // as kUnrelated, but only tasks with a priority
};

enum class Stands : std::uint8_t { kInPlaceOfDefault, kBesideForHomes, kBesideDefault };

// Decides which tasks a waiter may run. Hides the type of the waiter's `allow` object. Unless the
// policy says otherwise, it may be asked about a task that another thread takes and recycles
// meanwhile; the answer counts only if the task was still queued afterwards.
class Waiter {
  public:
    template <class Allow>
    explicit Waiter(const Allow& allow)
        : allow_(&allow),
          ask_([](const void* self, const Runnable* item) { return (*static_cast<const Allow*>(self))(item); }),
          constrained_(allow.constrained()) {}

    // Returns true if operator() does not admit all tasks: the waiter may run descendants of the
    // waiting task, and few other tasks.
    bool constrained() const { return constrained_; }
    bool operator()(const Runnable* item) const { return ask_(allow_, item); }

  private:
    const void* allow_;
    bool (*ask_)(const void*, const Runnable*);
    bool constrained_;
};

template <class Atomics> class PolicyOver {
  public:
    using Lane = LaneOver<Atomics>;

    const Stands stands;

    // Sets how many lanes take part. Called between regions, while nothing is queued.
    virtual void resize(unsigned lanes) = 0;
    // Queues a task. Returns false if the queue is full: the caller then runs the task at once, or
    // queues it elsewhere. Takes the home off the task (runnable.h) in both cases. Called by the
    // lane's owner only.
    [[nodiscard]] virtual bool put(Lane& lane, Runnable* item) = 0;
    // Queues a task and never refuses it. May be called by any thread.
    virtual void put_anywhere(Runnable* item) = 0;
    // Takes a task that the waiter may run. Returns null if it finds none. A thorough look finds
    // all of the waiter's own tasks, that is, every task that the waiter itself can tell to be its
    // descendant. Called by the lane's owner only.
    [[nodiscard]] virtual Runnable* take(Lane& lane, const Waiter& waiter, Look look, Sought sought) = 0;
    // Returns the highest priority of a queued task, or 0 if no queued task has a priority. Called
    // only for a policy that replaces the default, by any thread.
    virtual std::int32_t highest() const { return 0; }
    // Returns true if one look finds no queued task. May be called by any thread.
    virtual bool looks_drained() const = 0;
    // Keeps the queued tasks, except those in queues whose lock another thread held at the fork.
    // Called in a forked child, whose only thread owns `own`.
    virtual void forget_other_threads(Lane& own) = 0;

  protected:
    explicit PolicyOver(Stands stands_) : stands(stands_) {}
    ~PolicyOver() = default; // a team never frees its policy
};

using Policy = PolicyOver<base::RealAtomics>;

} // namespace teff::sched
