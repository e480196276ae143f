// SPDX-License-Identifier: Apache-2.0
//
// Which tasks a waiting task may run on top of itself, and which may start on its thread at all: the
// task scheduling constraints (OpenMP 5.2, section 12.9).
//
// A task that waits is only overlaid by its descendants; a tied one must be. What came into its worker's own
// lane since it started descends from it by construction (sched::Mark): it was created on top of
// it, or made ready by the end of a task that was. What a fulfilled event makes ready was not: that
// never goes into a lane (dependences.cpp). Of any other task we ask for proof: its chain of
// parents, or the taskgroup that we wait for.
//
// The candidate may be taken, finished and recycled while we follow its chain. Every link is a
// (task, id) pair, and ids are never used twice; a link counts only if the task still bears the id
// after we read what follows from it ([peek-1]). "Id X has ancestor id Y" never becomes untrue, so
// a chain of valid links is proof, provided that the candidate itself was still queued: that the
// taker's compare-exchange tells. A chain that breaks (an ancestor has finished and its block was
// reused) means no: at worst a chance lost.
// A tied task may start on a thread only if it descends from every tied task that waits there, but
// for those at a barrier: from those on the member's other contexts, too. Undeferred tasks are
// exempt, and count as a part of their creator. TEFF_TSC=relaxed knows no tied tasks on contexts.
#pragma once

#include "task/task.h"
#include "team/team.h"

namespace teff::task {

// Proof that `candidate` descends from `ancestor`, of the same team. The answer no may be wrong.
inline bool descends(const Task& candidate, const Task& ancestor) {
    constexpr int kLongestWalk = 256; // links; beyond that the answer is no
    const Task* at = &candidate;
    std::uint64_t at_id = candidate.id;
    const std::uint64_t wanted_id = ancestor.id;
    const std::uint32_t wanted_depth = ancestor.depth;
    for (int link = 0; link < kLongestWalk; ++link) {
        const Task* up = at->parent;
        const std::uint64_t up_id = at->parent_id;
        const std::uint32_t depth = at->depth;
        if (at->id != at_id || up == nullptr || depth <= wanted_depth) return false; // [peek-1]
        if (up_id == wanted_id) return true;
        at = up;
        at_id = up_id;
    }
    return false;
}

// Any task of the worker's team that may start on its thread, given the contexts that its member has
// left.
class MayStart {
  public:
    explicit MayStart(const team::Worker& worker) : suspended_(worker.member->suspended) {}

    bool constrained() const { return suspended_ != nullptr && suspended_->tied != nullptr; }

    bool operator()(const sched::Runnable* runnable) const {
        const auto& candidate = *static_cast<const Task*>(runnable);
        if (!constrained() || (candidate.clauses & kUntied) != 0) return true;
        for (const team::Context* at = suspended_; at != nullptr && at->tied != nullptr; at = at->after)
            if (!descends(candidate, *at->tied)) return false;
        return true;
    }

  private:
    const team::Context* suspended_; // those with a tied task first
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
        return (of_group || descends(candidate, waiting_)) && may_start_(runnable);
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
