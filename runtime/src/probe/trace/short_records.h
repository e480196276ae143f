// SPDX-License-Identifier: Apache-2.0
//
// Short records: which CREATE, RUN and DEP can be stored in half their size, as the chunk's records
// before them say the rest (teff_trace.h, decision 0027).
//
// Owned by a Stream, which asks before it stores one of these records, and reports what it stores.
// It does both while it is storing [append-1], so that signal handlers change nothing in between. A
// chunk can be read alone, so the state is reset for each.
#pragma once

#include <cstdint>

#include "teff_trace.h"

namespace teff::probe::trace {

class LastRecords {
  public:
    bool has_next(std::uint64_t task, std::uint64_t parent) const { return parent == parent_ && task == created_ + 1; }
    void created(std::uint64_t task, std::uint64_t parent) {
        created_ = task;
        parent_ = parent;
    }

    // `ticks_and_cpu`: as teff_rec_run has them.
    bool has_like(std::uint64_t task, std::uint64_t ticks_and_cpu, std::uint64_t region) const {
        const std::uint64_t ticks = ticks_and_cpu & kTicks;
        return region == region_ && ticks_and_cpu >> 48 == processor_ && (ticks >> kTicksBits | (task & kLong)) == 0;
    }
    void ran(std::uint64_t ticks_and_cpu, std::uint64_t region) {
        region_ = region;
        processor_ = ticks_and_cpu >> 48;
    }
    static std::uint64_t ticks_and_task(std::uint64_t task, std::uint64_t ticks_and_cpu) {
        const std::uint64_t ordinal = task & 0xffff'ffffu, stream = task >> 48;
        return (ticks_and_cpu & kTicks) | ordinal << kTicksBits | stream << 56;
    }

    // Where the last DEP's address is, or the other one: a program's addresses lie on its stack and
    // in its data, far from each other, and take turns.
    struct Near {
        bool is_near;
        std::uint32_t back; // as teff_rec_short_dep has it
        std::int32_t address;
    };
    Near near(std::uint64_t successor, std::uint64_t predecessor, std::uint64_t address) const {
        const std::uint64_t back = successor - predecessor;
        const std::int64_t from_last = distance(address, address_), from_other = distance(address, other_address_);
        const bool is_last = fits(from_last);
        const bool is_near = successor == created_ && back < TEFF_SHORT_DEP_OTHER && (is_last || fits(from_other));
        return {is_near, static_cast<std::uint32_t>(back) | (is_last ? 0 : TEFF_SHORT_DEP_OTHER),
                static_cast<std::int32_t>(is_last ? from_last : from_other)};
    }
    // `near`: by what it was stored, or none was.
    void depended(std::uint64_t address, const Near& near) {
        if (!near.is_near || (near.back & TEFF_SHORT_DEP_OTHER) != 0) other_address_ = address_;
        address_ = address;
    }

  private:
    static std::int64_t distance(std::uint64_t to, std::uint64_t from) { return static_cast<std::int64_t>(to - from); }
    static bool fits(std::int64_t distance) { return distance == static_cast<std::int32_t>(distance); }

    static constexpr unsigned kTicksBits = 24;
    static constexpr std::uint64_t kTicks = (std::uint64_t{1} << 48) - 1;
    // Of a task's id, what does not fit into a short RUN: its ordinal from 2^32, its stream from
    // 256.
    static constexpr std::uint64_t kLong = 0xff00'ffff'0000'0000u;

    // Of the chunk's last CREATE, RUN and DEP; of none they are 0, to the reader, too.
    std::uint64_t created_ = 0, parent_ = 0;
    std::uint64_t region_ = 0, processor_ = 0;
    std::uint64_t address_ = 0, other_address_ = 0;
};

} // namespace teff::probe::trace
