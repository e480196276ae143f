// SPDX-License-Identifier: Apache-2.0
//
// Which tasks a waiting task may run on top of itself: the task scheduling constraint (OpenMP 5.2,
// section 12.9).
//
// A tied task that waits may only be overlaid by its descendants. What came into its worker's own
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
#pragma once

#include "task/task.h"

namespace teff::task {

class Eligible {
  public:
    // Any task will do: TEFF_TASK_CONSTRAINTS=relaxed.
    static Eligible everything() { return Eligible(nullptr, nullptr); }
    // Descendants of `waiting`, and tasks of `group` (may be null).
    static Eligible descendants(const Task& waiting, const Taskgroup* group) { return Eligible(&waiting, group); }

    bool constrained() const { return waiting_ != nullptr; }

    bool operator()(const sched::Runnable* runnable) const {
        if (waiting_ == nullptr) return true;
        const auto* candidate = static_cast<const Task*>(runnable);
        if (group_ != nullptr && candidate->group == group_) return true;
        return is_descendant(*candidate);
    }

  private:
    static constexpr int kLongestWalk = 256; // links; beyond that the answer is no

    Eligible(const Task* waiting, const Taskgroup* group) : waiting_(waiting), group_(group) {}

    bool is_descendant(const Task& candidate) const {
        const Task* at = &candidate;
        std::uint64_t at_id = candidate.id;
        const std::uint64_t wanted_id = waiting_->id;
        const std::uint32_t wanted_depth = waiting_->depth;
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

    const Task* waiting_;
    const Taskgroup* group_;
};

} // namespace teff::task
