// SPDX-License-Identifier: Apache-2.0
#include "idle/spread.h"

#include <sched.h>

#include "topo/processors.h"

namespace teff::idle {

namespace {

// Moves the calling thread to any other processor that it may use. Then restores the thread's
// affinity mask, unless another thread has changed the mask meanwhile.
[[gnu::noinline]] void move_away_from(unsigned processor) {
    const topo::ProcessorSet allowed = topo::affinity_mask();
    topo::ProcessorSet others = allowed;
    others.remove(processor);
    if (others.empty() || !topo::set_affinity_mask(others)) return;
    if (topo::affinity_mask() == others) topo::set_affinity_mask(allowed);
}

} // namespace

void note_giving_way(GaveWay& own) { own.write(static_cast<unsigned>(sched_getcpu())); }

void spread(Spread& own, const GaveWay& leader) {
    const auto processor = static_cast<unsigned>(sched_getcpu());
    if (own.goes_on(processor, leader.read(), base::ticks())) move_away_from(processor);
}

} // namespace teff::idle
