// SPDX-License-Identifier: Apache-2.0
//
// Tag: the word that says of which region a chain's first WorkShare is, and how far it is. See
// work_share.h for the states.
//
//     bits 2-63  region  of the team: Team::region_serial
//     bits 0-1   phase
#pragma once

#include <cstdint>

namespace teff::loop {

enum Phase : std::uint64_t { kSetup = 1, kOpen = 2 };

class Tag {
  public:
    static constexpr std::uint64_t kNone = ~std::uint64_t{3}; // of no region that there is

    explicit Tag(std::uint64_t region) : bits_(region << kRegionShift) {}

    std::uint64_t in(Phase phase) const { return bits_ | phase; }
    bool is_in(Phase phase, std::uint64_t seen) const { return seen == in(phase); }
    bool same_region(std::uint64_t seen) const { return seen >> kRegionShift == bits_ >> kRegionShift; }

  private:
    static constexpr unsigned kRegionShift = 2;

    std::uint64_t bits_;
};

} // namespace teff::loop
