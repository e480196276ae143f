// SPDX-License-Identifier: Apache-2.0
//
// Each barrier of the family, and mixtures of their phases, under the explorer: all interleavings
// of a few rounds of two members, and of three within a bound on preemptions; and mutants, each of
// which must be found.
#include <array>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "sync/barriers/double_flags.h"
#include "sync/barriers/family.h"

namespace teff::sync::barriers {
namespace {

using explore::Options;
using explore::Program;
using explore::Result;

// What members write before a barrier, the others read after it; and what the leader writes between
// its two phases, all read. Two places in turns: the next round's is written while this one's is
// read.
struct Data {
    explicit Data(unsigned members) : own(members) {}
    std::vector<std::array<explore::Var<unsigned>, 2>> own;
    std::array<explore::Var<unsigned>, 2> house;
};

template <class Barrier> constexpr bool keeps_house() { return Barrier::kDuties != Duties::all; }

template <class Barrier> struct Run {
    using Line = typename Barrier::Line;

    explicit Run(const Shape& shape)
        : lines(new Line[Barrier::lines(shape)]), barrier(lines.get(), shape), data(shape.members),
          members(shape.members) {}

    void expect_all_written(Round round) {
        for (unsigned i = 0; i < members; ++i)
            EXPLORE_CHECK(data.own[i][round % 2] == round);
    }
    void lead(Round round) {
        data.own[0][round % 2] = round;
        barrier.wait(round);
        expect_all_written(round);
        if (keeps_house<Barrier>()) data.house[round % 2] = round;
        barrier.release(round);
    }
    void follow(unsigned number, Round round) {
        data.own[number][round % 2] = round;
        barrier.slave_enter(number, round);
        expect_all_written(round);
        if (keeps_house<Barrier>()) EXPLORE_CHECK(data.house[round % 2] == round);
    }

    std::unique_ptr<Line[]> lines;
    Barrier barrier;
    Data data;
    unsigned members;
};

template <class Barrier> Result rounds(const Shape& shape, Round count, const Options& options) {
    return explore::run(
        [=] {
            auto run = std::make_shared<Run<Barrier>>(shape);
            std::vector<std::function<void()>> threads;
            for (unsigned i = 0; i < shape.members; ++i)
                threads.push_back([=] {
                    for (Round round = 1; round <= count; ++round)
                        i == 0 ? run->lead(round) : run->follow(i, round);
                });
            return Program(std::move(threads));
        },
        options);
}

// ---- Right: nothing is found.

struct Size {
    Shape shape;
    Round rounds;
    Options options;
};
// Two members: to the end. Three: from three members on there are too many interleavings for most
// of the family, and those tried are the first so many.
constexpr Size kSizes[] = {
    {{1, 2}, 2, {.preemptions = explore::unbounded}},
    {{2, 2}, 1, {.preemptions = explore::unbounded}},
    {{2, 2}, 2, {.preemptions = 3}},
    {{2, 2}, 3, {.preemptions = 1}},
    {{3, 2}, 1, {.preemptions = 1, .max_executions = 50'000}},
    {{3, 3}, 1, {.preemptions = 1, .max_executions = 50'000}},
    {{3, 2}, 3, {.preemptions = 1, .max_executions = 20'000}},
};

std::string extent(const Result& result, int preemptions) {
    if (result.exhaustive) return "all interleavings";
    return (result.complete ? "all with " : "some with ") + std::to_string(preemptions) + " preemptions";
}

template <class Barrier> void expect_right(const char* name) {
    for (const Size& size : kSizes) {
        const Result result = rounds<Barrier>(size.shape, size.rounds, size.options);
        EXPECT_TRUE(result.passed()) << name << ": " << result;
        EXPECT_TRUE(result.complete || size.shape.members > 2) << name;
        EXPECT_TRUE(result.exhaustive || size.options.preemptions != explore::unbounded) << name;
        std::cout << name << ", " << size.shape.members << " members in groups of " << size.shape.fan_in << ", "
                  << size.rounds << " rounds, " << extent(result, size.options.preemptions) << ": " << result.executions
                  << " executions, " << result.longest << " steps at most\n";
    }
}

template <class Barrier> struct ExploredBarrier : testing::Test {};

using A = explore::Atomics;
using Family = testing::Types<Central<A>, Combining<A>, SharedMasterSlave<A>, ChainPolarity<A>, ChainLutPolarity<A>,
                              Disseminating<A>, McsTree<A>, Hyper<A>, Distributed<A>>;
TYPED_TEST_SUITE(ExploredBarrier, Family);
TYPED_TEST(ExploredBarrier, HoldsEachRoundTogether) { expect_right<TypeParam>(TypeParam::kName); }

TEST(ExploredBarriers, ArraysThatAreResetHoldToo) {
    expect_right<TwoPhase<DoubleFlagsGather<A>, DoubleFlagsRelease<A>>>("two arrays of flags");
}

TEST(ExploredBarriers, AnyGatheringGoesWithAnyRelease) {
    expect_right<TwoPhase<CombiningGather<A>, CentralRelease<A>>>("combining, then central");
    expect_right<TwoPhase<CentralGather<A>, ChainRelease<A>>>("central, then chain");
    expect_right<TwoPhase<SharedFlagsGather<A>, McsRelease<A>>>("flags, then tree of two");
}

// ---- Wrong: each mutant is found, where the barrier has what it breaks.

// A store that hands something over hands over nothing.
struct RelaxedStores : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order) { explore::atomic<T>::store(value, std::memory_order_relaxed); }
    };
};
// A look that finds something takes nothing over.
struct RelaxedLoads : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order) const { return explore::atomic<T>::load(std::memory_order_relaxed); }
    };
};
// Arrivals do not chain.
struct RelaxedArrivals : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        template <class D> T fetch_add(D by, std::memory_order) {
            return explore::atomic<T>::fetch_add(by, std::memory_order_relaxed);
        }
    };
};
// An arrival looks and then writes.
struct TornArrivals : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        template <class D> T fetch_add(D by, std::memory_order) {
            const T seen = this->load(std::memory_order_seq_cst);
            this->exchange(static_cast<T>(seen + by), std::memory_order_seq_cst);
            return seen;
        }
    };
};

// The leader gathers nobody.
template <class Barrier> struct LeaderWaitsForNobody : Barrier {
    using Barrier::Barrier;
    void wait(Round) {}
};
// Slaves leave when they have entered.
template <class Atomics> struct NoHold : CentralRelease<Atomics> {
    using CentralRelease<Atomics>::CentralRelease;
    void await(unsigned, Round) {}
};
template <class Gather> using Unreleased = TwoPhase<Gather, NoHold<A>>;
// A relay reports before those whose entry it passes on.
template <class Gather> struct HastyRelay : Gather {
    using Gather::Gather;
    void collect(unsigned number, Round round) {
        if (number == 0) Gather::collect(number, round);
    }
};
// A relay passes its release on before it has it.
template <class Release> struct HastyRelease : Release {
    using Release::Release;
    void await(unsigned number, Round round) {
        Release::pass_on(number, round);
        Release::await(number, round);
    }
};
// It looks at the whole of the last word, as one reading of the paper has it.
template <class Atomics> class WholeLastWord {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::relays;
    static unsigned lines(const Shape& shape) { return shape.members; }
    WholeLastWord(Line* memory, const Shape& shape) : lines_(memory), last_(shape.members - 1) {}
    void wait(Round round) { await<Atomics>(lines_[1].words[0], entered(1, round)); }
    void release(Round round) { raise(lines_[last_].words[0], released(round)); }
    void slave_enter(unsigned number, Round round) {
        if (number != last_) await<Atomics>(lines_[number + 1].words[0], entered(number + 1, round));
        raise(lines_[number].words[0], entered(number, round));
        await<Atomics>(lines_[last_].words[0], released(round));
    }

  private:
    std::uint32_t entered(unsigned number, Round round) const {
        return polarity(round) | (number == last_ ? polarity(round - 1) << 1 : 0);
    }
    static std::uint32_t released(Round round) { return polarity(round) * 3; }
    Line* lines_;
    unsigned last_;
};
// The last step is left out.
template <class Atomics> class ShortDissemination {
  public:
    using Line = barriers::Line<Atomics>;
    static constexpr Duties kDuties = Duties::all;
    static unsigned lines(const Shape& shape) { return shape.members; }
    ShortDissemination(Line* memory, const Shape& shape) : lines_(memory), members_(shape.members) {}
    void wait(Round round) { slave_enter(0, round); }
    void release(Round) {}
    void slave_enter(unsigned number, Round round) {
        raise(lines_[(number + 1) % members_].words[0], round);
        await_round<Atomics>(lines_[number].words[0], round);
    }

  private:
    Line* lines_;
    unsigned members_;
};

// How many mutants there were.
class Mutants {
  public:
    template <class Barrier> void expect_found(const std::string& name, const char* what, const Shape& shape = {3, 2}) {
        const Result result = rounds<Barrier>(shape, 2, {.preemptions = 1, .max_executions = 100'000});
        EXPECT_FALSE(result.passed()) << name << ", " << what << " was not found in " << result.executions
                                      << " executions";
        ++tried_;
        found_ += !result.passed();
        std::cout << name << ", " << what << ": " << result.outcome << " after " << result.executions
                  << " executions\n";
    }
    ~Mutants() { std::cout << found_ << " of " << tried_ << " mutants found\n"; }

  private:
    unsigned tried_ = 0, found_ = 0;
};

TEST(ExploredBarriers, EachMutantIsFound) {
    Mutants mutants;
    for_each_barrier<RelaxedStores>(
        [&]<class Barrier>() { mutants.expect_found<Barrier>(Barrier::kName, "stores hand nothing over"); });
    for_each_barrier<RelaxedLoads>(
        [&]<class Barrier>() { mutants.expect_found<Barrier>(Barrier::kName, "looks take nothing over"); });
    for_each_barrier<explore::Atomics>([&]<class Barrier>() {
        mutants.expect_found<LeaderWaitsForNobody<Barrier>>(Barrier::kName, "the leader waits for nobody");
    });
    mutants.expect_found<Central<RelaxedArrivals>>("central", "arrivals do not chain");
    mutants.expect_found<Combining<RelaxedArrivals>>("combining", "arrivals do not chain");
    mutants.expect_found<Central<TornArrivals>>("central", "arrivals are torn");
    mutants.expect_found<Combining<TornArrivals>>("combining", "arrivals are torn", {3, 3});

    mutants.expect_found<Unreleased<CentralGather<A>>>("central", "slaves are not held");
    mutants.expect_found<Unreleased<CombiningGather<A>>>("combining", "slaves are not held");
    mutants.expect_found<Unreleased<SharedFlagsGather<A>>>("s-msb", "slaves are not held");
    mutants.expect_found<Unreleased<DoubleFlagsGather<A>>>("two arrays", "slaves are not held");
    mutants.expect_found<TwoPhase<DoubleFlagsGather<RelaxedStores>, DoubleFlagsRelease<RelaxedStores>>>(
        "two arrays", "stores hand nothing over");
    mutants.expect_found<TwoPhase<DoubleFlagsGather<RelaxedLoads>, DoubleFlagsRelease<RelaxedLoads>>>(
        "two arrays", "looks take nothing over");
    mutants.expect_found<TwoPhase<HastyRelay<ChainGather<A>>, ChainRelease<A>>>("cpb", "a relay does not wait");
    mutants.expect_found<TwoPhase<HastyRelay<McsGather<A>>, McsRelease<A>>>("mcs", "a relay does not wait", {6, 2});
    mutants.expect_found<TwoPhase<HastyRelay<HyperGather<A>>, HyperRelease<A>>>("hyper", "a relay does not wait",
                                                                                {6, 2});
    mutants.expect_found<TwoPhase<HastyRelay<DistributedGather<A>>, DistributedRelease<A>>>(
        "dist", "a relay does not wait", {4, 2});
    mutants.expect_found<TwoPhase<ChainGather<A>, HastyRelease<ChainRelease<A>>>>("cpb",
                                                                                  "a release is passed on early");
    mutants.expect_found<WholeLastWord<A>>("c-lutb", "the whole last word is looked at");
    mutants.expect_found<ShortDissemination<A>>("dissemination", "the last step is left out");
}

} // namespace
} // namespace teff::sync::barriers
