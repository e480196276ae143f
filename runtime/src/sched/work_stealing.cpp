// SPDX-License-Identifier: Apache-2.0
#include "sched/work_stealing.h"

#include <new>

namespace teff::sched {

void WorkStealing::wake_one() {
    const unsigned member = sleepers_.try_take_one();
    if (member != Sleepers::kNone) unpark(member);
}

void WorkStealing::wake_all() {
    sleepers_.take_all([this](unsigned member) { unpark(member); });
}

bool WorkStealing::try_raise(Lane& lane, Runnable* item) {
    PriorityQueue* queue = lane.raised.load(std::memory_order_relaxed);
    if (queue == nullptr) {
        queue = PriorityQueue::try_make(lane.deque.capacity());
        if (queue == nullptr) return false;
        lane.raised.store(queue, std::memory_order_release); // [raised-1]
    }
    raised_.fetch_add(1, std::memory_order_relaxed);
    if (!queue->put(item, lane.raised_so_far)) {
        raised_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
    ++lane.raised_so_far;
    return true;
}

Lane* WorkStealing::highest_lane() const {
    std::int32_t highest = shared_.highest();
    Lane* found = nullptr;
    const unsigned count = count_.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < count; ++i) {
        const std::int32_t here = highest_of(*lanes_[i]);
        if (here <= highest) continue;
        highest = here;
        found = lanes_[i];
    }
    return found;
}

Runnable* WorkStealing::take_own_raised(Lane& lane) {
    if (lane.raised_so_far == lane.since.raised) return nullptr; // also if it has no queue
    return count_out(lane.raised.load(std::memory_order_relaxed)->take_newest_since(lane.since.raised));
}

void WorkStealing::forget_other_threads(Lane& own, unsigned lanes) {
    constexpr auto kAny = [](const Runnable*) { return true; };
    shared_.forget_other_threads();
    for (unsigned i = 0; i < lanes; ++i) {
        PriorityQueue* const raised = lanes_[i]->raised.load(std::memory_order_acquire); // [raised-1]
        if (raised != nullptr) raised->forget_other_threads();
        if (lanes_[i] == &own) continue;
        while (Runnable* item = lanes_[i]->deque.steal_if(kAny))
            shared_.put(item);
        while (Runnable* item = raised != nullptr ? raised->take_highest_if(kAny) : nullptr)
            shared_.put(item);
    }
    ::new (&sleepers_) Sleepers;
}

void WorkStealing::unpark(unsigned member) {
    // A worker that has left the team meanwhile gets a spurious token, which every caller of park bears.
    if (sync::Parker* parker = lanes_[member]->parker.load(std::memory_order_acquire)) parker->unpark();
}

} // namespace teff::sched
