// SPDX-License-Identifier: Apache-2.0
//
// The family: the barriers by their names. kDuties of each says what it requires of a waiting
// member.
//
// Tests, the benchmark and modelled machines use the barriers through this file. Programs get only
// the barriers without duties, by TEFF_BARRIER (icv::kBarriers has their names).
#pragma once

#include "sync/barriers/central.h"
#include "sync/barriers/chain.h"
#include "sync/barriers/chain_lut.h"
#include "sync/barriers/combining.h"
#include "sync/barriers/dissemination.h"
#include "sync/barriers/distributed.h"
#include "sync/barriers/hyper.h"
#include "sync/barriers/mcs_tree.h"
#include "sync/barriers/shared_flags.h"

namespace teff::sync::barriers {

template <class A> struct Central : TwoPhase<CentralGather<A>, CentralRelease<A>> {
    using TwoPhase<CentralGather<A>, CentralRelease<A>>::TwoPhase;
    static constexpr const char* kName = "central";
};
template <class A> struct Combining : TwoPhase<CombiningGather<A>, CombiningRelease<A>> {
    using TwoPhase<CombiningGather<A>, CombiningRelease<A>>::TwoPhase;
    static constexpr const char* kName = "combining";
};
template <class A> struct SharedMasterSlave : TwoPhase<SharedFlagsGather<A>, SharedSignalRelease<A>> {
    using TwoPhase<SharedFlagsGather<A>, SharedSignalRelease<A>>::TwoPhase;
    static constexpr const char* kName = "s-msb";
};
template <class A> struct ChainPolarity : TwoPhase<ChainGather<A>, ChainRelease<A>> {
    using TwoPhase<ChainGather<A>, ChainRelease<A>>::TwoPhase;
    static constexpr const char* kName = "cpb";
};
template <class A> struct ChainLutPolarity : ChainLut<A> {
    using ChainLut<A>::ChainLut;
    static constexpr const char* kName = "c-lutb";
};
template <class A> struct Disseminating : Dissemination<A> {
    using Dissemination<A>::Dissemination;
    static constexpr const char* kName = "dissemination";
};
template <class A> struct McsTree : TwoPhase<McsGather<A>, McsRelease<A>> {
    using TwoPhase<McsGather<A>, McsRelease<A>>::TwoPhase;
    static constexpr const char* kName = "mcs";
};
template <class A> struct Hyper : TwoPhase<HyperGather<A>, HyperRelease<A>> {
    using TwoPhase<HyperGather<A>, HyperRelease<A>>::TwoPhase;
    static constexpr const char* kName = "hyper";
};
template <class A> struct Distributed : TwoPhase<DistributedGather<A>, DistributedRelease<A>> {
    using TwoPhase<DistributedGather<A>, DistributedRelease<A>>::TwoPhase;
    static constexpr const char* kName = "dist";
};

// Calls visit.template operator()<Barrier>() for each barrier, instantiated with the atomics `A`.
template <class A, class Visit> void for_each_barrier(Visit&& visit) {
    visit.template operator()<Central<A>>();
    visit.template operator()<Combining<A>>();
    visit.template operator()<SharedMasterSlave<A>>();
    visit.template operator()<ChainPolarity<A>>();
    visit.template operator()<ChainLutPolarity<A>>();
    visit.template operator()<Disseminating<A>>();
    visit.template operator()<McsTree<A>>();
    visit.template operator()<Hyper<A>>();
    visit.template operator()<Distributed<A>>();
}

} // namespace teff::sync::barriers
