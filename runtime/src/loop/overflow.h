// SPDX-License-Identifier: Apache-2.0
//
// Overflow: constructs that members have reached while their slots of the ring were still in use. See work_share.h.
//
// The ring has many of these lists and spreads the constructs over them by number, so that each stays short. A list, oldest round first: the member furthest ahead adds at the end, those behind find theirs near the front. Everything under
// Ring::lock. Owns nothing: its WorkShares go to and come from the ring's spares.
#pragma once

#include "loop/work_share.h"

namespace teff::loop {

class Overflow {
  public:
    unsigned length() const { return length_; }

    // Is the construct newer than all in here?
    bool is_ahead(Tag mine) const { return first_ == nullptr || mine.is_after(tag_of(*last_)); }

    WorkShare* find(Tag mine) const {
        if (is_ahead(mine)) return nullptr;
        WorkShare* share = first_;
        while (share != nullptr && !mine.same_construct(tag_of(*share)))
            share = share->next_overflow;
        return share;
    }

    void add(WorkShare& share) {
        share.overflow = this;
        share.next_overflow = nullptr;
        *(first_ == nullptr ? &first_ : &last_->next_overflow) = &share;
        last_ = &share;
        ++length_;
    }

    void remove(WorkShare& share) {
        WorkShare* before = nullptr;
        for (WorkShare* at = first_; at != &share; at = at->next_overflow)
            before = at;
        *(before == nullptr ? &first_ : &before->next_overflow) = share.next_overflow;
        if (last_ == &share) last_ = before;
        --length_;
    }

    // Takes everything out if it was left behind by an older, cancelled region; else null.
    WorkShare* take_stale(Tag mine) {
        if (first_ == nullptr || mine.same_region(tag_of(*first_))) return nullptr;
        return take_all();
    }

    WorkShare* take_all() {
        WorkShare* all = first_;
        first_ = last_ = nullptr;
        length_ = 0;
        return all;
    }

  private:
    // Region and round are set under the lock; only the phase changes without it.
    static std::uint64_t tag_of(const WorkShare& share) { return share.tag.load(std::memory_order_relaxed); }

    WorkShare* first_ = nullptr;
    WorkShare* last_ = nullptr; // if there is a first
    unsigned length_ = 0;
};

} // namespace teff::loop
