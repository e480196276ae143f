// SPDX-License-Identifier: Apache-2.0
#include "team/spread.h"

#include <sched.h>

#include "team/worker.h"
#include "topo/processors.h"

namespace teff::team {

namespace {

// To any other processor that it may use. What the mask is afterwards is what it was, unless
// somebody else has changed it meanwhile.
[[gnu::noinline]] void move_away_from(unsigned processor) {
    const topo::ProcessorSet allowed = topo::affinity_mask();
    topo::ProcessorSet others = allowed;
    others.remove(processor);
    if (others.empty() || !topo::set_affinity_mask(others)) return;
    if (topo::affinity_mask() == others) topo::set_affinity_mask(allowed);
}

} // namespace

void note_giving_way(Worker& worker) {
    if (worker.may_spin) worker.gave_way.write(static_cast<unsigned>(sched_getcpu()));
}

void spread(Worker& worker) {
    if (worker.leader == nullptr || worker.leader == &worker || !worker.may_spin || worker.bound_place != kUnbound)
        return;
    const auto processor = static_cast<unsigned>(sched_getcpu());
    if (worker.spread.goes_on(processor, worker.leader->gave_way.read(), base::ticks())) move_away_from(processor);
}

} // namespace teff::team
