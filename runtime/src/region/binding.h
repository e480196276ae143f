// SPDX-License-Identifier: Apache-2.0
//
// Which place each member of a team gets, and that its thread stays there (OpenMP 5.2, section
// 10.1.3).
//
// Each thread computes its own place when its implicit task begins, from its number and from the
// place and partition of the team's leader in the enclosing team, which are constant meanwhile. It
// calls the kernel only if that place differs from the one that it was bound to last. Without
// places (topo/process_places.h) none of this runs.
//
// OMP_DISPLAY_AFFINITY: all places of a team follow from its arrangement, so the members print
// where they are when the arrangement is new.
#pragma once

#include <span>

#include "region/region.h"
#include "topo/processor_set.h"

namespace teff::region {

// The place and the place partition of member `number` in a team of `size` whose leader has
// `leader`. Where the members outnumber the places and are no multiple of them, the first places
// from the leader's on get one more, as in libgomp; but those who share a place have consecutive
// numbers, as the specification has it.
team::Binding assign_place(icv::ProcBind policy, unsigned size, unsigned number, const team::Binding& leader);

// Whether members share processors, as a place has fewer of them than it gets members. Not where
// there are no places.
bool crowds_places(const team::Arrangement& all, std::span<const topo::ProcessorSet> places);

// The policy of a region: the clause counts unless binding is off.
inline icv::ProcBind region_policy(icv::ProcBind icv, unsigned clause) {
    return clause == 0 || icv == icv::ProcBind::false_ ? icv : static_cast<icv::ProcBind>(clause);
}

// Call once, after topo::initialise_places and before the first region. `display` prints where the
// calling thread may run.
void initialise_binding(void (*display)());

namespace detail {
extern constinit bool binds_or_displays;
TEFF_COLD void arrange(team::Team& team, icv::ProcBind policy);
TEFF_COLD void bind_and_display(team::Worker& worker, team::Member& member);
} // namespace detail

// The leader's part, when its place and the size of the team are settled.
inline void arrange(team::Team& team, icv::ProcBind icv, unsigned clause) {
    if (TEFF_UNLIKELY(detail::binds_or_displays)) detail::arrange(team, region_policy(icv, clause));
}

// Gives the member its place and moves its thread there; to be called by the thread itself.
inline void bind_member(team::Worker& worker, team::Member& member) {
    if (TEFF_UNLIKELY(detail::binds_or_displays)) detail::bind_and_display(worker, member);
}

} // namespace teff::region
