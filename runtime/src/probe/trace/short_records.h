// SPDX-License-Identifier: Apache-2.0
//
// Short records: decides which CREATE, RUN, DEP, WAIT and CHUNK records can be stored in 16 bytes,
// because earlier records of the chunk determine the omitted fields (teff_trace.h, decision 0027),
// and which CREATE, RUN and WAIT of a task can be stored in 16 bytes together (decision 0051).
//
// Owned by a Stream. Before the stream stores one of these records, it asks LastRecords; then it
// tells LastRecords what it stores. It does both while it is storing [append-1], so that signal
// handlers change nothing in between. A chunk must be readable alone, so the state is reset for
// each chunk.
#pragma once

#include <cstdint>

#include "teff_trace.h"

namespace teff::probe::trace {

class LastRecords {
  public:
    bool has_next(std::uint64_t task, std::uint64_t parent) const { return parent == parent_ && task == created_ + 1; }
    void created(std::uint64_t task, std::uint64_t parent, std::uint32_t site) {
        created_ = task;
        parent_ = parent;
        site_ = site;
    }

    // Returns true if the CREATE record of a task that is run at once can be a SHORT_TASK; with
    // `runs_on`, if it can stand for the RUN record on this processor, too.
    bool has_task_like(std::uint64_t task, std::uint64_t parent, std::uint32_t site, std::uint64_t region) const {
        return has_next(task, parent) && site == site_ && region == region_;
    }
    bool runs_on(unsigned processor) const { return (processor & 0xffff) == processor_; }

    // Returns true if the RUN record can be stored short. `ticks_and_cpu` is as in teff_rec_run.
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

    // How a short DEP gives its address: by the distance from the address of the last DEP, or from
    // the other recent address. Two addresses are kept because a program's addresses alternate
    // between its stack and its data, which lie far from each other.
    struct Near {
        bool is_near;
        std::uint32_t back; // as in teff_rec_short_dep
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
    // Reports a stored DEP record. `near` is the result of the function `near` for this record.
    void depended(std::uint64_t address, const Near& near) {
        if (!near.is_near || (near.back & TEFF_SHORT_DEP_OTHER) != 0) other_address_ = address_;
        address_ = address;
    }

    // Returns true if the WAIT record can be stored short. `ticks_and_ordinal` is as in
    // teff_rec_wait.
    bool has_like_wait(unsigned kind, std::uint64_t task, std::uint64_t ticks_and_ordinal, std::uint32_t site,
                       std::uint32_t barrier) const {
        return site == sites_[kind] && (ticks_and_ordinal >> kTicksBits | (task & kLong) | barrier) == 0;
    }
    void waited(unsigned kind, std::uint32_t site) { sites_[kind] = site; }

    // Returns true if the CHUNK record can be stored short.
    bool has_like_chunk(std::uint64_t loop, std::uint64_t task, std::int64_t first, std::uint64_t iterations,
                        std::uint64_t ticks_and_cpu) const {
        const bool is_alike = loop == loop_ && task == loop_task_ && iterations == iterations_;
        const std::int64_t far = distance(from_signed(first), first_) >> (kDistanceBits - 1);
        return is_alike && ticks_and_cpu >> 48 == loop_processor_ && (ticks_and_cpu & kTicks) >> kTicksBits == 0 &&
               (far == 0 || far == -1);
    }
    std::uint64_t ticks_and_first(std::int64_t first, std::uint64_t ticks_and_cpu) const {
        return (ticks_and_cpu & kTicks) | (from_signed(first) - first_) << kTicksBits;
    }
    void chunk_ran(std::uint64_t loop, std::uint64_t task, std::int64_t first, std::uint64_t iterations,
                   std::uint64_t ticks_and_cpu) {
        loop_ = loop;
        loop_task_ = task;
        first_ = from_signed(first);
        iterations_ = iterations;
        loop_processor_ = ticks_and_cpu >> 48;
    }

  private:
    static std::uint64_t from_signed(std::int64_t value) { return static_cast<std::uint64_t>(value); }
    static std::int64_t distance(std::uint64_t to, std::uint64_t from) { return static_cast<std::int64_t>(to - from); }
    static bool fits(std::int64_t distance) { return distance == static_cast<std::int32_t>(distance); }

    static constexpr unsigned kTicksBits = 24, kDistanceBits = 40;
    static constexpr std::uint64_t kTicks = (std::uint64_t{1} << 48) - 1;
    // The bits of a task's id that do not fit into a short RUN: those of an ordinal from 2^32 on,
    // and those of a stream number from 256 on.
    static constexpr std::uint64_t kLong = 0xff00'ffff'0000'0000u;

    // Values of the chunk's last CREATE, RUN, DEP, CHUNK, and WAIT of each kind. They are 0 before
    // the chunk's first such record, and a reader takes them as 0, too.
    std::uint64_t created_ = 0, parent_ = 0;
    std::uint32_t site_ = 0;
    std::uint64_t region_ = 0, processor_ = 0;
    std::uint64_t address_ = 0, other_address_ = 0;
    std::uint64_t loop_ = 0, loop_task_ = 0, first_ = 0, iterations_ = 0, loop_processor_ = 0;
    std::uint32_t sites_[TEFF_WAIT_PREEMPTED + 1] = {};
};

} // namespace teff::probe::trace
