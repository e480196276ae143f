// SPDX-License-Identifier: Apache-2.0
//
// RingRecords: walks over the records that the kernel has written into the ring buffer of a perf
// event, from one position up to another.
//
// The ring holds `bytes` bytes, a power of two. Positions only grow, and a position modulo `bytes`
// is a place in the ring. A record begins with a perf_event_header, and its size is a multiple of
// 8; it may go on at the ring's beginning. This file makes no system call, and believes no size
// that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <linux/perf_event.h>

namespace teff::probe::trace {

class RingRecords {
  public:
    enum class Step : std::uint8_t {
        kRecord,
        kEnd,  // no record is left
        kTorn, // what the ring holds is not a record; no record follows
    };

    RingRecords(const char* ring, std::size_t bytes, std::uint64_t from, std::uint64_t until)
        : ring_(ring), bytes_(bytes), next_(from), until_(until) {}

    // Goes to the next record.
    Step next() {
        if (next_ >= until_) return Step::kEnd;
        at_ = next_;
        const std::uint64_t head = word_at(at_);
        std::memcpy(&header_, &head, sizeof header_);
        if (header_.size < sizeof header_ || header_.size % 8 != 0 || header_.size > until_ - at_) {
            next_ = until_;
            return Step::kTorn;
        }
        next_ += header_.size;
        return Step::kRecord;
    }

    // Of the record: its header, and its words, of which word 0 is the header. A word beyond the
    // record's end is 0.
    const perf_event_header& header() const { return header_; }
    unsigned words() const { return header_.size / 8u; }
    std::uint64_t word(unsigned which) const { return which < words() ? word_at(at_ + std::uint64_t{which} * 8) : 0; }

  private:
    // Records begin at multiples of 8, so no word goes on at the ring's beginning.
    std::uint64_t word_at(std::uint64_t at) const {
        std::uint64_t value;
        std::memcpy(&value, ring_ + (at & (bytes_ - 1)), sizeof value);
        return value;
    }

    const char* ring_;
    std::size_t bytes_;
    std::uint64_t next_, until_;
    std::uint64_t at_ = 0;
    perf_event_header header_{};
};

} // namespace teff::probe::trace
