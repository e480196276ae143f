// SPDX-License-Identifier: Apache-2.0
//
// Iterations: the iteration space of a loop whose variable is signed or unsigned and counts up or
// down. The iterations are numbered from 0 to count - 1.
//
// Schedules use these numbers only. Every 64-bit loop has at most 2^64 - 1 iterations, so a number
// always fits. The values of the loop variable are computed from a number by arithmetic modulo
// 2^64, so overflow is harmless, even at the limits of the type.
#pragma once

#include <cstdint>

namespace teff::loop {

// The iterations with the numbers first .. last - 1.
struct Span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    bool operator==(const Span&) const = default;
};

struct Iterations {
    std::uint64_t start = 0; // value of the loop variable in iteration 0
    std::uint64_t end = 0;   // as the program gave it; not included in the loop
    std::uint64_t step = 0;  // modulo 2^64
    std::uint64_t count = 0;

    static Iterations of(long start, long end, long step) {
        const auto from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(end),
                   by = static_cast<std::uint64_t>(step);
        std::uint64_t count = 0;
        if (step > 0 && start < end) count = (to - from - 1) / by + 1;
        if (step < 0 && start > end) count = (from - to - 1) / (0 - by) + 1;
        return {from, to, by, count};
    }

    // `up`: the loop variable increases. For a decreasing loop variable, `step` is the negative
    // step modulo 2^64.
    static Iterations of(bool up, unsigned long long start, unsigned long long end, unsigned long long step) {
        std::uint64_t count = 0;
        if (up && start < end && step != 0) count = (end - start - 1) / step + 1;
        if (!up && start > end && step != 0) count = (start - end - 1) / (0 - step) + 1;
        return {start, end, step, count};
    }

    // How many iterations a loop from `low` to `up` has, `up` included. `Number` is signed or
    // unsigned, of 32 or 64 bits. 0 if `step` is 0.
    template <class Number> static std::uint64_t count_to_inclusive(Number low, Number up, std::int64_t step) {
        const auto from = static_cast<std::uint64_t>(low), to = static_cast<std::uint64_t>(up),
                   by = static_cast<std::uint64_t>(step);
        if (step == 1) return low > up ? 0 : to - from + 1; // most loops: saves the division
        if (step > 0) return low > up ? 0 : (to - from) / by + 1;
        return low < up || step == 0 ? 0 : (from - to) / (0 - by) + 1;
    }

    // Returns the value of the loop variable in iteration `number`.
    std::uint64_t value(std::uint64_t number) const { return start + number * step; }

    // Returns the bound (not included) for a chunk that ends before iteration `last`. After the
    // loop's last iteration this is the loop's own bound, because start + count * step may be
    // beyond the limits of the type.
    std::uint64_t bound(std::uint64_t last) const { return last == count ? end : value(last); }
};

} // namespace teff::loop
