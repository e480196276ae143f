// SPDX-License-Identifier: Apache-2.0
//
// Tag: the word that says for which construct a WorkShare stands and how far it is. See work_share.h for the states.
//
//     bits 24-63 region   of the team: Team::region_serial
//     bits 3-23  round    of the ring: construct number / slots; which slot it is, the tag does not say
//     bit 2      spilled  some construct that belongs into this slot was put into the ring's overflow
//     bits 0-1   phase
//
// Equal region and round mean the same construct: no member is 2^21 rounds behind another, and 2^40 regions of one team take
// longer than any program runs.
#pragma once

#include <cstdint>

namespace teff::loop {

enum Phase : std::uint64_t { kFree = 0, kSetup = 1, kOpen = 2 };

class Tag {
  public:
    static constexpr std::uint64_t kPhaseMask = 3;
    static constexpr std::uint64_t kSpilled = 4;
    static constexpr std::uint64_t kNone = ~std::uint64_t{7}; // free, of no region that there is

    Tag(std::uint64_t region, std::uint64_t round)
        : bits_(region << kRegionShift | (round << kRoundShift & kRoundMask)) {}

    std::uint64_t round() const { return (bits_ & kRoundMask) >> kRoundShift; }
    std::uint64_t in(Phase phase) const { return bits_ | phase; }

    // What a WorkShare with the tag `seen` is to this construct.
    bool is_in(Phase phase, std::uint64_t seen) const { return (seen & ~kSpilled) == in(phase); }
    bool same_construct(std::uint64_t seen) const { return (seen & ~(kSpilled | kPhaseMask)) == bits_; }
    bool same_region(std::uint64_t seen) const { return seen >> kRegionShift == bits_ >> kRegionShift; }

    // Of the same region: is `seen` of an earlier round?
    bool is_after(std::uint64_t seen) const {
        const std::uint64_t distance = (bits_ - seen) & kRoundMask & ~(kPhaseMask | kSpilled);
        return distance != 0 && distance <= kRoundMask / 2;
    }

    // Is it of an older region, or free with nothing spilled? Then the construct may take it without further ado.
    bool may_replace(std::uint64_t seen) const {
        return !same_region(seen) || (!same_construct(seen) && (seen & (kSpilled | kPhaseMask)) == kFree);
    }

  private:
    static constexpr unsigned kRoundShift = 3, kRegionShift = 24;
    static constexpr std::uint64_t kRoundMask = (std::uint64_t{1} << kRegionShift) - (std::uint64_t{1} << kRoundShift);

    std::uint64_t bits_;
};

} // namespace teff::loop
