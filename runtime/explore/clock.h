// SPDX-License-Identifier: Apache-2.0
//
// Vector clocks: which operations of which thread happen before the present point of a thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace teff::explore {

// Slot 0 belongs to the code outside the threads: the set-up before they start and the check after
// they ended.
inline constexpr int max_slots = 8;
inline constexpr int main_slot = 0;

struct Clock {
    std::array<std::uint32_t, max_slots> at{};

    void join(const Clock& other) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            at[i] = at[i] < other.at[i] ? other.at[i] : at[i];
        }
    }

    // The first slot with something that this clock does not know of, or -1 if it knows all that
    // `other` knows.
    int first_unknown(const Clock& other) const {
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (other.at[i] > at[i]) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }
};

} // namespace teff::explore
