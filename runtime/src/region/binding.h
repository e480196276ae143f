// SPDX-License-Identifier: Apache-2.0
//
// Computes the place of each member of a team, and binds the member's thread to that place (OpenMP
// 5.2, section 10.1.3).
//
// Each thread computes its own place when its implicit task begins. The inputs are the thread's
// number and the place and partition of the team's leader in the enclosing team; these are constant
// during the region. The thread calls the kernel only if its place differs from the place to which
// it was last bound. Without places (topo/process_places.h) no thread does any of this.
//
// OMP_DISPLAY_AFFINITY: each member prints its place whenever the team's arrangement has changed.
// Comparing arrangements is enough, because a team's arrangement determines the places of all its
// members.
#pragma once

#include <span>

#include "region/region.h"
#include "topo/processor_set.h"

namespace teff::region {

// Returns the place and the place partition of member `number` in a team of `size` members whose
// leader has the binding `leader`. If there are more members than places, and their number is not a
// multiple of the number of places, the first places, counted from the leader's place, get one more
// member, as in libgomp. Members that share a place have consecutive numbers, as the specification
// demands.
team::Binding assign_place(icv::ProcBind policy, unsigned size, unsigned number, const team::Binding& leader);

// Returns true if some place gets more members than it has processors, so that members share
// processors. Returns false if the process has no places.
bool crowds_places(const team::Arrangement& all, std::span<const topo::ProcessorSet> places);

// Returns the binding policy of a region: the clause's policy, unless there is no clause or binding
// is switched off.
inline icv::ProcBind region_policy(icv::ProcBind icv, unsigned clause) {
    return clause == 0 || icv == icv::ProcBind::false_ ? icv : static_cast<icv::ProcBind>(clause);
}

// Called once, after topo::initialise_places and before the first region. `display` prints the
// affinity of the calling thread.
void initialise_binding(void (*display)());

namespace detail {
extern constinit bool binds_or_displays;
TEFF_COLD void arrange(team::Team& team, icv::ProcBind policy);
TEFF_COLD void bind_and_display(team::Worker& worker, team::Member& member);
} // namespace detail

// Called by the leader when its place and the size of the team are known.
inline void arrange(team::Team& team, icv::ProcBind icv, unsigned clause) {
    if (TEFF_UNLIKELY(detail::binds_or_displays)) detail::arrange(team, region_policy(icv, clause));
}

// Gives the member its place and moves its thread to that place. Called by the member's own thread.
inline void bind_member(team::Worker& worker, team::Member& member) {
    if (TEFF_UNLIKELY(detail::binds_or_displays)) detail::bind_and_display(worker, member);
}

} // namespace teff::region
