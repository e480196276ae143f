// SPDX-License-Identifier: Apache-2.0
//
// Tests barriers on the modelled chip: they synchronise its cores without any cache coherence, a
// run is the same each time, and the paper's robust claims are reproduced.
#include "machines/scc/barriers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

#include "barriers/double_flags.h"
#include "barriers/family.h"
#include "machines/scc/atomics.h"
#include "machines/scc/claims.h"
#include "machines/scc/shipped_costs.h"

namespace teff::machine::scc {
namespace {

using sync::barriers::Round;
using sync::barriers::TwoPhase;

struct Held {
    bool complete = false;
    unsigned wrong = 0; // members that went on without another one
};

// All lines are in one core's buffer, or each in a different core's. Every member checks that all
// others have arrived.
template <class Barrier> Held hold(unsigned cores, Place place, bool spread, Time limit = 10'000'000 * kCycle) {
    const sync::barriers::Shape shape{cores, 4};
    const unsigned lines = Barrier::lines(shape);
    const std::unique_ptr<typename Barrier::Line[]> memory(new typename Barrier::Line[lines]);
    Barrier barrier(memory.get(), shape);
    Chip chip(shipped());
    for (unsigned i = 0; i < lines; ++i) {
        place.core = spread ? i % cores : 0;
        EXPECT_TRUE(chip.place(&memory[i], sizeof memory[i], place));
    }
    std::vector<Round> own(cores);
    Held held;
    std::vector<std::function<void()>> parts;
    for (unsigned i = 0; i < cores; ++i)
        parts.push_back([&, i] {
            for (Round round = 1; round <= 4; ++round) {
                chip.pass((i * 37 + round * 101) % 400 * kCycle);
                chip.relax();
                own[i] = round;
                if (i == 0) barrier.wait(round), barrier.release(round);
                else barrier.slave_enter(i, round);
                held.wrong +=
                    static_cast<unsigned>(std::count_if(own.begin(), own.end(), [&](Round r) { return r < round; }));
            }
        });
    held.complete = chip.run(parts, limit);
    return held;
}

template <class A>
using DoubleFlags = TwoPhase<sync::barriers::DoubleFlagsGather<A>, sync::barriers::DoubleFlagsRelease<A>>;

template <class Barrier> struct SccBarrier : testing::Test {};
using A = Atomics;
using Family = testing::Types<DoubleFlags<A>, sync::barriers::Central<A>, sync::barriers::Combining<A>,
                              sync::barriers::SharedMasterSlave<A>, sync::barriers::ChainPolarity<A>,
                              sync::barriers::ChainLutPolarity<A>, sync::barriers::Disseminating<A>,
                              sync::barriers::McsTree<A>, sync::barriers::Hyper<A>, sync::barriers::Distributed<A>>;
TYPED_TEST_SUITE(SccBarrier, Family);

TYPED_TEST(SccBarrier, HoldsCoresTogetherCachedAndUncached) {
    for (const unsigned cores : {1u, 2u, 3u, 7u, 20u})
        for (const bool cached : {true, false})
            for (const bool spread : {true, false}) {
                if (!spread && TypeParam::lines({cores, 4}) * sizeof(typename TypeParam::Line) > 8000) continue;
                const Held held = hold<TypeParam>(cores, {Store::mpb, 0, cached}, spread);
                EXPECT_TRUE(held.complete) << cores << " cores, cached " << cached << ", spread " << spread;
                EXPECT_EQ(held.wrong, 0u);
            }
}

// The modelled machine is not coherent: a barrier whose atomics do not invalidate or send its words
// does not end.
struct NeverInvalidates : Atomics {
    template <class T> struct atomic : scc::atomic<T> {
        using scc::atomic<T>::atomic;
        T load(std::memory_order) const { return scc::atomic<T>::load(std::memory_order_relaxed); }
    };
};
struct NeverPushesOut : Atomics {
    template <class T> struct atomic : scc::atomic<T> {
        using scc::atomic<T>::atomic;
        void store(T value, std::memory_order) { scc::atomic<T>::store(value, std::memory_order_relaxed); }
    };
};

TEST(SccBarriers, WithoutInvalidationOrPushingOutNobodyArrives) {
    constexpr Time kLimit = 100'000 * kCycle;
    EXPECT_FALSE(
        (hold<sync::barriers::ChainPolarity<NeverInvalidates>>(4, {Store::mpb, 0, true}, true, kLimit).complete));
    EXPECT_FALSE(
        (hold<sync::barriers::ChainPolarity<NeverPushesOut>>(4, {Store::mpb, 0, true}, true, kLimit).complete));
    // Uncached words need neither invalidation nor sending.
    EXPECT_TRUE(
        (hold<sync::barriers::ChainPolarity<NeverInvalidates>>(4, {Store::mpb, 0, false}, true, kLimit).complete));
    EXPECT_TRUE(
        (hold<sync::barriers::ChainPolarity<NeverPushesOut>>(4, {Store::lut, 0, false}, true, kLimit).complete));
}

TEST(SccBarriers, ARunIsTheSameForASeed) {
    const Costs costs = shipped();
    for (const Barrier barrier : kBarriers) {
        const BarrierTimes one = measure(costs, barrier, 12, 7), again = measure(costs, barrier, 12, 7);
        EXPECT_TRUE(one.complete) << name_of(barrier);
        EXPECT_EQ(one.master, again.master);
        EXPECT_EQ(one.slaves, again.slaves);
        EXPECT_EQ(one.flits, again.flits);
    }
    EXPECT_NE(measure(costs, Barrier::smsb, 12, 7).slaves, measure(costs, Barrier::smsb, 12, 8).slaves);
}

TEST(SccBarriers, OneCoreWaitsForNobody) {
    for (const Barrier barrier : kBarriers)
        EXPECT_LT(measure(shipped(), barrier, 1, 1).master, 1) << name_of(barrier);
}

// Two cores of one tile: each signals the other once, in the buffer of their own tile.
TEST(SccBarriers, TwoCoresOfATileNeedAFewAccesses) {
    const BarrierTimes times = measure(shipped(), Barrier::cpb_uc, 2, 1);
    EXPECT_LT(times.accesses, 12);
    EXPECT_EQ(times.flits, 0);
    EXPECT_NEAR(times.master, times.slaves, 0.05 * times.master);
}

TEST(SccBarriers, WhatIsRobustInThePaperComesOut) {
    Experiment experiment(shipped(), 1);
    for (const Claim& claim : judge(experiment)) {
        const bool refuted = claim.id == "B3" || claim.id == "B5" || claim.id == "U1" || claim.id == "G1" ||
                             claim.id == "G4" || claim.id == "A2";
        EXPECT_EQ(claim.holds, !refuted) << claim.id << " " << claim.statement << ": " << claim.ours;
    }
}

TEST(SccBarriers, AFasterMeshMakesThemFaster) {
    Costs fast = shipped();
    fast.mesh_mhz *= 2;
    EXPECT_LT(measure(fast, Barrier::clutb, 24, 1).master, measure(shipped(), Barrier::clutb, 24, 1).master);
    EXPECT_EQ(measure(fast, Barrier::cpb, 2, 1).master, measure(shipped(), Barrier::cpb, 2, 1).master); // no mesh
}

TEST(SccBarriers, SplittingLoopsHalvesThemWhereTheBufferIsCrowded) {
    Experiment experiment(shipped(), 1);
    EXPECT_NEAR(experiment.alignment(48, true), 0.5, 0.02);
    EXPECT_NEAR(experiment.alignment(48, false), 1, 0.01);
}

} // namespace
} // namespace teff::machine::scc
