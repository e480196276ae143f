// SPDX-License-Identifier: Apache-2.0
//
// Measures barriers on the modelled SCC as the paper does, and repeats the paper's experiment with
// alignment.
//
// The barriers are the family in labs/barriers, compiled with the chip's atomics. The paper's kinds
// of barriers differ in where their words lie: all in the master's buffer, each in its reader's
// buffer, or in look-up tables. They also differ in whether the words are cached (MPBT) or not
// (UC).
//
// The measure is the master's time in wait() and release(), and the mean of the others' time in
// slave_enter(), over all rounds but the first (equations 1 to 3 of the paper). The barriers follow
// each other immediately. A seed decides when each core begins.
#pragma once

#include <string_view>
#include <vector>

#include "machines/scc/chip.h"

namespace teff::machine::scc {

enum class Barrier : std::uint8_t {
    smsb,        // two arrays that are reset
    smsb_signal, // one array, one signal, polarity
    cpb,
    clutb,
    smsb_uc,
    smsb_signal_uc,
    cpb_uc,
    dissemination, // not in the paper
    central,       // not in the paper: a counter under a test-and-set register
};
inline constexpr Barrier kBarriers[] = {Barrier::smsb,   Barrier::smsb_signal,   Barrier::cpb,
                                        Barrier::clutb,  Barrier::smsb_uc,       Barrier::smsb_signal_uc,
                                        Barrier::cpb_uc, Barrier::dissemination, Barrier::central};
std::string_view name_of(Barrier barrier);

struct BarrierTimes {
    bool complete = false;
    double master = 0, slaves = 0; // microseconds: MO and ASO
    double accesses = 0;           // past caches, in a round
    double flits = 0;              // over links, in a round
};

// Measures a barrier on the first `cores` cores. With 1 core, `slaves` is 0.
BarrierTimes measure(const Costs& costs, Barrier barrier, unsigned cores, std::uint64_t seed);
// The median over `seeds` seeds, of each figure separately.
BarrierTimes measure_median(const Costs& costs, Barrier barrier, unsigned cores, unsigned seeds);

// The measurement of figure 3, in microseconds: each core repeatedly reads and writes its own line
// of the first core's buffer. With `split`, one loop reads and a second loop writes; otherwise one
// loop does both.
double measure_alignment(const Costs& costs, unsigned cores, bool split, bool cached);

} // namespace teff::machine::scc
