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

void WorkStealing::forget_other_threads(Lane& own, unsigned lanes) {
    shared_.forget_other_threads();
    for (unsigned i = 0; i < lanes; ++i) {
        if (lanes_[i] == &own) continue;
        while (Runnable* item = lanes_[i]->deque.steal_if([](const Runnable*) { return true; }))
            shared_.put(item);
    }
    ::new (&sleepers_) Sleepers;
}

void WorkStealing::unpark(unsigned member) {
    // A worker that has left the team meanwhile gets a spurious token, which every caller of park bears.
    if (sync::Parker* parker = lanes_[member]->parker.load(std::memory_order_acquire)) parker->unpark();
}

} // namespace teff::sched
