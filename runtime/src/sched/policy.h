// SPDX-License-Identifier: Apache-2.0
//
// Policy: who runs which ready task.
//
// A policy keeps the ready tasks of one team. It knows Runnable and nothing else of a task. It
// decides which task a member gets next, and so whether a waiter may run a task: the task's place
// in its queues may tell, or it asks the waiter for proof. No code outside of a policy sees
// positions in queues.
//
// TEFF_SCHEDULE names the policy for the whole process. The default, work_stealing.h, is part of
// every Scheduler, so that its short paths are inlined. All others are behind this interface: one
// file each, and a line in policies.cpp and in icv::kSchedulePolicies. A policy may replace the
// default (kInPlaceOfDefault) or stand beside it. In the latter case it gets the tasks that the
// default's short paths refuse, and is asked when a member's own queue has no task. If it is there
// for homes (kBesideForHomes), tasks have some.
//
// A policy is a template over the atomics (base/atomics.h): the explorer and modelled machines run
// it from the same source.
#pragma once

#include <cstdint>

#include "sched/lane.h"
#include "sched/runnable.h"

namespace teff::sched {

// How closely a member looks: briefly, so it may miss a task that another member is about to take
// too, or one far back in a common queue; or, once before it sleeps, until it has seen all.
enum class Look : bool { kBrief, kThorough };

// Which tasks a member asks a policy for.
enum class Sought : std::uint8_t {
    kOnTop,     // beyond those that it has made ready itself, to run on top of its current one
    kUnrelated, // all that the waiter admits, for a stack of their own
    kRaised,    // of those, the ones with a priority alone
};

enum class Stands : std::uint8_t { kInPlaceOfDefault, kBesideForHomes, kBesideDefault };

// What a waiter may run, without its type. It may be asked about a task that is taken and recycled
// meanwhile, unless the policy says otherwise; the answer counts only if the task was still queued
// afterwards.
class Waiter {
  public:
    template <class Allow>
    explicit Waiter(const Allow& allow)
        : allow_(&allow),
          ask_([](const void* self, const Runnable* item) { return (*static_cast<const Allow*>(self))(item); }),
          constrained_(allow.constrained()) {}

    // Only descendants of the task that waits, and what else operator() admits.
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

    // Between regions: so many lanes take part. Nothing is queued.
    virtual void resize(unsigned lanes) = 0;
    // The owner of the lane. False: the queue is full; the caller runs the task at once, or queues
    // it elsewhere. The task's home is taken off it (runnable.h) in any case.
    [[nodiscard]] virtual bool put(Lane& lane, Runnable* item) = 0;
    // Any thread. Never refuses.
    virtual void put_anywhere(Runnable* item) = 0;
    // The owner of the lane. Null: nothing that the waiter may run, as far as it has looked. A
    // thorough look finds each task of the waiter's own, that is, each of which the waiter itself
    // has proof.
    [[nodiscard]] virtual Runnable* take(Lane& lane, const Waiter& waiter, Look look, Sought sought) = 0;
    // Any thread: is nothing queued, as far as one look tells?
    virtual bool looks_drained() const = 0;
    // In a forked child whose only thread owns `own`: keeps what is queued, as far as the locks of
    // gone threads allow.
    virtual void forget_other_threads(Lane& own) = 0;

  protected:
    explicit PolicyOver(Stands stands_) : stands(stands_) {}
    ~PolicyOver() = default; // a team keeps its policy for ever
};

using Policy = PolicyOver<base::RealAtomics>;

} // namespace teff::sched
