// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/two_clocks.h"

namespace teff::probe::trace {

using base::Ticks;

Ticks ticks_at(std::uint64_t ns, const BothClocks& from, const BothClocks& until) {
    if (ns <= from.ns || until.ns <= from.ns || until.ticks <= from.ticks) return from.ticks;
    if (ns >= until.ns) return until.ticks;
    const unsigned __int128 ticks = until.ticks - from.ticks;
    return from.ticks + static_cast<Ticks>(ticks * (ns - from.ns) / (until.ns - from.ns));
}

// Between the two clocks the thread may lose its processor: the closest of some tries counts.
BothClocks BothClocks::now() {
    constexpr int kTries = 4;
    constexpr Ticks kClose = 1'000;
    BothClocks best{};
    Ticks least = ~Ticks{0};
    for (int i = 0; i < kTries && least > kClose; ++i) {
        const Ticks before = base::ticks();
        const std::uint64_t ns = base::monotonic_ns();
        const Ticks took = base::ticks() - before;
        if (took >= least) continue;
        least = took;
        best = {before + took / 2, ns};
    }
    return best;
}

} // namespace teff::probe::trace
