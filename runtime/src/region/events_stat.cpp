// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/counters.h"
#include "region/events.h"

namespace teff::region::events::stat {

using probe::stat::count;
using probe::stat::enter;

void region_begins(team::Worker& leader, base::Ticks met) {
    count(*leader.stat, TEFF_STAT_REGIONS_LED);
    enter(*leader.stat, TEFF_STAT_REGIONS, met);
}

void member_begins(team::Worker& worker, base::Ticks now) {
    count(*worker.stat, TEFF_STAT_IMPLICIT);
    enter(*worker.stat, TEFF_STAT_USER, now);
}

void member_joins(team::Worker& worker, base::Ticks now) { enter(*worker.stat, TEFF_STAT_WAITING, now); }

void region_ends(team::Worker& leader) { enter(*leader.stat, TEFF_STAT_REGIONS); }

void region_left(team::Worker& leader) { enter(*leader.stat, TEFF_STAT_USER); }

void initial_task_begins(team::Worker& worker) {
    count(*worker.stat, TEFF_STAT_IMPLICIT);
    enter(*worker.stat, TEFF_STAT_USER);
}

void barrier_begins(team::Worker& worker, BarrierKind kind, base::Ticks now) {
    if (kind != BarrierKind::kImplementation) count(*worker.stat, TEFF_STAT_BARRIERS);
    enter(*worker.stat, TEFF_STAT_WAITING, now);
}

void barrier_ends(team::Worker& worker) { enter(*worker.stat, TEFF_STAT_USER); }

} // namespace teff::region::events::stat
