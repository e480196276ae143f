// SPDX-License-Identifier: Apache-2.0
//
// The barriers that TEFF_BARRIER offers (icv::kBarriers), by name. Waiting members of these
// barriers have no duties (two_phase.h), so they can run tasks and sleep. Tests use the barriers
// through this file; the runtime uses their parts (region/team_protocol.h).
#pragma once

#include "sync/barriers/central.h"
#include "sync/barriers/combining.h"

namespace teff::sync::barriers {

template <class A> struct Central : TwoPhase<CentralGather<A>, CentralRelease<A>> {
    using TwoPhase<CentralGather<A>, CentralRelease<A>>::TwoPhase;
    static constexpr const char* kName = "central";
};
template <class A> struct Combining : TwoPhase<CombiningGather<A>, CombiningRelease<A>> {
    using TwoPhase<CombiningGather<A>, CombiningRelease<A>>::TwoPhase;
    static constexpr const char* kName = "combining";
};
// Calls visit.template operator()<Barrier>() for each barrier, instantiated with the atomics `A`.
template <class A, class Visit> void for_each_offered(Visit&& visit) {
    visit.template operator()<Central<A>>();
    visit.template operator()<Combining<A>>();
}

} // namespace teff::sync::barriers
