// SPDX-License-Identifier: Apache-2.0
// A set of processors, which are identified by the kernel's numbers. The layout is that of the
// kernel's affinity masks. A plain value.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace teff::topo {

struct ProcessorSet {
    static constexpr unsigned kCapacity = 8192; // the most processors that Linux can be built for

    bool has(unsigned processor) const {
        return processor < kCapacity && (words[processor / 64] >> (processor % 64) & 1) != 0;
    }
    void add(unsigned processor) { words[processor / 64] |= std::uint64_t{1} << (processor % 64); }
    void remove(unsigned processor) { words[processor / 64] &= ~(std::uint64_t{1} << (processor % 64)); }

    unsigned count() const {
        unsigned result = 0;
        for (const std::uint64_t word : words)
            result += static_cast<unsigned>(std::popcount(word));
        return result;
    }
    bool empty() const { return next(0) == kCapacity; }

    // Returns the lowest processor in the set that is at least `from`; kCapacity if there is none.
    // Used by loops over all processors of the set.
    unsigned next(unsigned from) const {
        for (unsigned word = from / 64; word < words.size(); ++word) {
            const std::uint64_t left = word == from / 64 ? words[word] >> (from % 64) << (from % 64) : words[word];
            if (left != 0) return word * 64 + static_cast<unsigned>(std::countr_zero(left));
        }
        return kCapacity;
    }

    ProcessorSet& operator&=(const ProcessorSet& other) {
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] &= other.words[i];
        return *this;
    }
    ProcessorSet& operator|=(const ProcessorSet& other) {
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] |= other.words[i];
        return *this;
    }
    ProcessorSet& operator-=(const ProcessorSet& other) {
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] &= ~other.words[i];
        return *this;
    }
    bool operator==(const ProcessorSet&) const = default;

    std::array<std::uint64_t, kCapacity / 64> words = {};
};

// Parses a list of processors as the kernel writes it, such as 0-3,8,10-11. Returns nothing if the
// text is not valid.
std::optional<ProcessorSet> parse_processor_list(std::string_view text);

} // namespace teff::topo
