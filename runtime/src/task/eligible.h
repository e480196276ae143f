// SPDX-License-Identifier: Apache-2.0
//
// Which tasks a waiting task may run on top of itself, and which may start on its thread at all:
// the task scheduling constraints (OpenMP 5.2, section 12.9).
//
// A task that waits is only overlaid by its descendants; a tied one must be. What came into its
// worker's own lane since it started descends from it by construction (sched::Mark), as long as the
// lane is not in doubt: it was created on top of it, or made ready by the end of a task that was.
// What a fulfilled event makes ready was not: that never goes into a lane (dependences.cpp). Of any
// other task we ask for proof: its chain of parents, or the taskgroup that we wait for.
//
// The candidate may be taken, finished and recycled while we follow its chain. Every link is a
// (task, id) pair, and ids are never used twice; a link counts only if the task still bears the id
// after we read what follows from it ([peek-1]). "Id X has ancestor id Y" never becomes untrue, so
// a chain of valid links is proof, provided that the candidate itself was still queued: that the
// taker's compare-exchange tells. A chain may break, as an ancestor has ended and its block was
// reused: then we do not know.
//
// A tied task may start on a thread only if it descends from every tied task that waits there, but
// for those at a barrier: from those on the member's other contexts, too. Undeferred tasks are
// exempt, and count as a part of their creator. So are descendants of a task that waits for them
// while it holds a lock. TEFF_TSC=relaxed knows no tied tasks on contexts.
#pragma once

#include "icv/icv.h"
#include "sync/held_locks.h"
#include "task/task.h"
#include "team/team.h"

namespace teff::task {

enum class Descent : std::uint8_t { kNo, kYes, kUnknown };

// Whether `candidate` descends from `ancestor`, of the same team. Unknown: the chain is broken, as
// an ancestor that has ended is gone once its own children have ended; theirs may not have.
inline Descent descent(const Task& candidate, const Task& ancestor) {
    const Task* at = &candidate;
    std::uint64_t at_id = candidate.id;
    const std::uint64_t wanted_id = ancestor.id;
    const std::uint32_t wanted_depth = ancestor.depth;
    for (std::uint32_t below = UINT32_MAX;;) {
        const Task* up = at->parent;
        const std::uint64_t up_id = at->parent_id;
        const std::uint32_t depth = at->depth;
        if (at->id != at_id || depth >= below) return Descent::kUnknown; // [peek-1]
        if (up == nullptr || depth <= wanted_depth) return Descent::kNo;
        if (up_id == wanted_id) return Descent::kYes;
        below = depth; // so the walk ends
        at = up;
        at_id = up_id;
    }
}

// Any task of the worker's team that may start on its thread, given the contexts that its member
// has left.
//
// Each tied task there has started as a descendant of those before it, so the innermost counts for
// all. What lies on its stack on top of it descends from it, too, and is proof where a link between
// the two is gone. The task on top waits for its children, which have not lost it; or for a
// taskgroup, where a task further down may have: then the doubt is in its favour, for nobody else
// may be there to run it.
class MayStart {
  public:
    explicit MayStart(const team::Worker& worker) : innermost_(worker.member->suspended) {}

    bool constrained() const { return innermost_ != nullptr && innermost_->tied != nullptr; }

    bool operator()(const sched::Runnable* runnable) const {
        const auto& candidate = *static_cast<const Task*>(runnable);
        return !constrained() || (candidate.clauses & kUntied) != 0 || is_below(candidate);
    }
    // Whatever descends from `task`, which waits on the thread. Its chain may be broken; but a tied
    // task was admitted when it started. And beside one that holds a lock nothing goes on: neither
    // what would have to end first, nor maybe the other threads, which may want that lock.
    bool admits_descendants(const Task& task) const {
        if (!constrained() || sync::locks_held != 0 || &task == innermost_->tied || is_below(task)) return true;
        const bool was_asked = (task.flags & (kUntied | kUndeferred)) == 0;
        return was_asked && descent(task, *innermost_->tied) == Descent::kUnknown;
    }

  protected:
    bool is_below(const Task& candidate) const {
        const Taskgroup* const ending = innermost_->group;
        const Taskgroup* const group = candidate.group;
        if (ending != nullptr && group == ending) return true;
        const Descent from_top = descent(candidate, *innermost_->task);
        const Descent from_tied = from_top == Descent::kYes ? from_top : descent(candidate, *innermost_->tied);
        const bool in_doubt = from_top == Descent::kUnknown || from_tied == Descent::kUnknown;
        return from_tied == Descent::kYes || (in_doubt && ending != nullptr && group != nullptr);
    }

  private:
    const team::Context* innermost_; // those with a tied task first, the innermost before the others
};

// Of those, the ones that descend from the tied tasks that wait there. So may one run on top of any
// task, whatever it creates itself.
class DescendsFromTied : public MayStart {
  public:
    using MayStart::MayStart;

    static constexpr bool constrained() { return true; }
    // Also of a single task.
    bool operator()(const Task& task) const { return MayStart::constrained() && is_below(task); }
    bool operator()(const sched::Runnable* runnable) const { return (*this)(*static_cast<const Task*>(runnable)); }
};

// Descendants of `waiting`, and tasks of `group` (may be null), of those that may start.
class Eligible {
  public:
    Eligible(const Task& waiting, const Taskgroup* group, MayStart may_start)
        : waiting_(waiting), group_(group), may_start_(may_start) {}

    static constexpr bool constrained() { return true; }

    bool operator()(const sched::Runnable* runnable) const {
        const auto& candidate = *static_cast<const Task*>(runnable);
        const bool of_group = group_ != nullptr && candidate.group == group_;
        if (!of_group && descent(candidate, waiting_) != Descent::kYes) return false;
        return may_start_(runnable) ||
               may_start_.admits_descendants(waiting_); // the group's tasks descend from it, too
    }

    // Whether what lies above the mark of the waiting task may run, though contexts have taken
    // turns before it started. A tied task was admitted beside those that wait on the other
    // contexts, so its descendants are. An undeferred one was not asked. And what runs beside a
    // tied task takes nothing from below its mark, unless nobody asks for the constraints.
    bool trusts_mark() const {
        return (waiting_.flags & (kUntied | kUndeferred)) == 0 &&
               icv::global().task_constraints != icv::TaskConstraints::relaxed;
    }

  private:
    const Task& waiting_;
    const Taskgroup* group_;
    MayStart may_start_;
};

// Outside tasks: what the wait there admits (sched/eligibility.h), of those that may start.
template <class Admitted> class AtGround {
  public:
    AtGround(const Admitted& admitted, MayStart may_start) : admitted_(admitted), may_start_(may_start) {}

    bool constrained() const { return may_start_.constrained(); }
    bool operator()(const sched::Runnable* runnable) const { return admitted_(runnable) && may_start_(runnable); }

  private:
    Admitted admitted_;
    MayStart may_start_;
};

} // namespace teff::task
