// SPDX-License-Identifier: Apache-2.0
//
// Regions on the modelled chip: their cache lines, and where these lines lie. The regions' barrier
// is C-LUTB, which the paper chose.
//
// The object owns the lines, and must exist as long as the chip runs.
#pragma once

#include <algorithm>
#include <vector>

#include "barriers/chain_lut.h"
#include "machines/scc/atomics.h"
#include "machines/scc/regions.h"

namespace teff::machine::scc {

class ChipRegions {
  public:
    using Kind = Regions<Atomics, sync::barriers::ChainLut<Atomics>>;
    using Thread = Kind::Thread;
    using Function = Kind::Function;

    // Uses the first `cores` cores of the chip, which has not run yet.
    ChipRegions(Chip& chip, unsigned cores, std::vector<Function> functions, OnState on_state)
        : cores_(cores), docks_(cores), metadata_(cores), joins_(Kind::join_lines(cores)),
          barrier_(Kind::barrier_lines(cores)), functions_(std::move(functions)),
          regions_({docks_, metadata_, joins_, barrier_}, cores, functions_, std::move(on_state)) {
        for (unsigned i = 0; i < cores; ++i) {
            placed_ = chip.place(&docks_[i], sizeof docks_[i], {Store::mpb, i, true}) && placed_;
            placed_ = chip.place(&barrier_[i], sizeof barrier_[i], {Store::lut, i, false}) && placed_;
        }
        const Place masters{Store::mpb, 0, true};
        placed_ = chip.place(metadata_.data(), metadata_.size() * sizeof metadata_[0], masters) && placed_;
        placed_ = chip.place(joins_.data(), joins_.size() * sizeof joins_[0], masters) && placed_;
    }

    // Returns the parts of a run: the master's program, and what the slaves do.
    std::vector<std::function<void()>> parts(std::function<void(Kind&)> program) {
        std::vector<std::function<void()>> all(cores_);
        all[0] = [this, program = std::move(program)] {
            regions_.begin();
            program(regions_);
            regions_.end();
        };
        for (unsigned i = 1; i < cores_; ++i)
            all[i] = [this, i] { regions_.serve(i); };
        return all;
    }
    // Returns false if there was not enough space.
    bool placed() const { return placed_; }

  private:
    using Lines = std::vector<Kind::Line>;

    unsigned cores_;
    Lines docks_, metadata_, joins_, barrier_;
    std::vector<Function> functions_;
    Kind regions_;
    bool placed_ = true;
};

} // namespace teff::machine::scc
