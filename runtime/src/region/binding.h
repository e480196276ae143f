// SPDX-License-Identifier: Apache-2.0
//
// Computes which place each member of a team gets, and binds the member's thread to that place
// (OpenMP 5.2, section 10.1.3).
//
// Each thread computes its own place when its implicit task begins. It uses its number and the
// place and partition that the team's leader has in the enclosing team; both are constant during
// the region. The thread calls the kernel only if the place differs from the place that it was last
// bound to. Without places (topo/process_places.h) none of this runs.
//
// OMP_DISPLAY_AFFINITY: all places of a team follow from its arrangement, so the members print
// where they are when the arrangement has changed.
#pragma once

#include <span>

#include "region/region.h"
#include "topo/processor_set.h"

namespace teff::region {

// Returns the place and the place partition of member `number` in a team of `size` members whose
// leader has `leader`. If there are more members than places, and their number is no multiple of
// the number of places, the first places, counted from the leader's place, get one more member, as
// in libgomp. Members that share a place have consecutive numbers, as the specification demands.
team::Binding assign_place(icv::ProcBind policy, unsigned size, unsigned number, const team::Binding& leader);

// Returns true if some place has fewer processors than it gets members, so that members share
// processors. Returns false if the process has no places.
bool crowds_places(const team::Arrangement& all, std::span<const topo::ProcessorSet> places);

// Returns the binding policy of a region: the clause's policy, unless there is no clause or binding
// is switched off.
inline icv::ProcBind region_policy(icv::ProcBind icv, unsigned clause) {
    return clause == 0 || icv == icv::ProcBind::false_ ? icv : static_cast<icv::ProcBind>(clause);
}

// Called once, after topo::initialise_places and before the first region. `display` prints where
// the calling thread may run.
void initialise_binding(void (*display)());

namespace detail {
extern constinit bool binds_or_displays;
TEFF_COLD void arrange(team::Team& team, icv::ProcBind policy);
TEFF_COLD void bind_and_display(team::Worker& worker, team::Member& member);
} // namespace detail

// Called by the leader when its place and the size of the team are settled.
inline void arrange(team::Team& team, icv::ProcBind icv, unsigned clause) {
    if (TEFF_UNLIKELY(detail::binds_or_displays)) detail::arrange(team, region_policy(icv, clause));
}

// Gives the member its place and moves its thread to that place. Called by the member's own thread.
inline void bind_member(team::Worker& worker, team::Member& member) {
    if (TEFF_UNLIKELY(detail::binds_or_displays)) detail::bind_and_display(worker, member);
}

} // namespace teff::region
