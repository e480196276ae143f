// SPDX-License-Identifier: Apache-2.0
//
// The family of all barriers, by their names. It contains the barriers that programs can choose
// (sync/barriers/family.h), and the barriers that exist only for experiments. A barrier's kDuties
// says what it requires of a waiting member.
//
// Tests, the benchmark and modelled machines use the barriers through this file.
#pragma once

#include "barriers/chain.h"
#include "barriers/chain_lut.h"
#include "barriers/dissemination.h"
#include "barriers/distributed.h"
#include "barriers/hyper.h"
#include "barriers/mcs_tree.h"
#include "barriers/shared_flags.h"
#include "sync/barriers/family.h"

namespace teff::sync::barriers {

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

// Calls visit.template operator()<Barrier>() for each barrier that only exists to study.
template <class A, class Visit> void for_each_studied(Visit&& visit) {
    visit.template operator()<SharedMasterSlave<A>>();
    visit.template operator()<ChainPolarity<A>>();
    visit.template operator()<ChainLutPolarity<A>>();
    visit.template operator()<Disseminating<A>>();
    visit.template operator()<McsTree<A>>();
    visit.template operator()<Hyper<A>>();
    visit.template operator()<Distributed<A>>();
}

// Calls visit.template operator()<Barrier>() for each barrier, instantiated with the atomics `A`.
template <class A, class Visit> void for_each_barrier(Visit&& visit) {
    for_each_offered<A>(visit);
    for_each_studied<A>(visit);
}

} // namespace teff::sync::barriers
