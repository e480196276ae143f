// SPDX-License-Identifier: Apache-2.0
//
// Tests regions, critical regions and locks on the modelled chip, with 1 to 48 cores and several
// seeds, within a time limit; and regions under the explorer.
#include "machines/scc/regions_on_chip.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>

#include "barriers/dissemination.h"
#include "explore/explore.h"
#include "machines/scc/shipped_costs.h"

namespace teff::machine::scc {
namespace {

constexpr Time kLimit = 50'000'000 * kCycle;

bool may_follow(State before, State after) {
    switch (after) {
    case State::initialization:
        return false;
    case State::sequential:
        return before == State::initialization || before == State::join_waiting;
    case State::fork_waiting:
        return before == State::sequential;
    case State::ready:
        return before == State::fork_waiting || before == State::join_waiting;
    case State::executing:
        return before == State::ready;
    case State::join_waiting:
        return before == State::executing || before == State::initialization;
    case State::termination:
        return before == State::sequential || before == State::join_waiting;
    }
    return false;
}

class States {
  public:
    explicit States(unsigned cores) : now_(cores, State::initialization) {}
    void enter(unsigned core, State state) {
        if (state != State::initialization && !may_follow(now_[core], state)) ++wrong_;
        now_[core] = state;
    }
    bool all_ended() const {
        return std::all_of(now_.begin(), now_.end(), [](State state) { return state == State::termination; });
    }
    unsigned wrong() const { return wrong_; }

  private:
    std::vector<State> now_;
    unsigned wrong_ = 0;
};

struct Trial {
    Trial(unsigned count, std::uint64_t seed) : cores(count), random(seed) {}
    Time delay() { return random() % 500 * kCycle; }

    unsigned cores;
    std::mt19937_64 random;
    Chip chip{shipped()};
    States states{cores};
    OnState on_state = [this](unsigned core, State state) { states.enter(core, state); };
};

// The number of sizes in a test, each with two seeds.
constexpr unsigned kGroup = 8;
class SccRegions : public testing::TestWithParam<unsigned> {
  protected:
    template <class Try> static void for_each_trial(Try&& attempt) {
        for (unsigned cores = GetParam(); cores < GetParam() + kGroup; ++cores)
            for (const std::uint64_t seed : {1, 2}) {
                SCOPED_TRACE(std::to_string(cores) + " cores, seed " + std::to_string(seed));
                Trial trial(cores, seed);
                attempt(trial);
                EXPECT_EQ(trial.states.wrong(), 0u);
                EXPECT_TRUE(trial.states.all_ended());
            }
    }
};

// Teams of all sizes, including sizes in which some slaves take no part.
void run_regions(Trial& trial) {
    Chip& chip = trial.chip;
    const unsigned cores = trial.cores;
    unsigned parts = 0, wrong = 0, region = 0, expected = 0;
    std::vector<unsigned> at(cores);
    const auto part = [&](ChipRegions::Thread& thread) {
        ++parts;
        wrong += thread.frame() != region;
        for (unsigned step = 1; step <= 3; ++step) {
            chip.pass(trial.delay());
            chip.relax();
            at[thread.number()] = step;
            thread.barrier();
            for (unsigned other = 0; other < thread.team(); ++other)
                wrong += at[other] < step;
            thread.barrier(); // they may go on only when all have looked
        }
    };
    const auto program = [&](ChipRegions::Kind& kind) {
        for (const unsigned team : {cores, cores, (cores + 1) / 2, 1u, cores + 5}) {
            std::fill(at.begin(), at.end(), 0);
            kind.parallel(0, ++region, team);
            expected += std::min(team, cores);
            wrong += parts != expected;
        }
    };
    ChipRegions regions(chip, cores, {part}, trial.on_state);
    ASSERT_TRUE(regions.placed());
    EXPECT_TRUE(chip.run(regions.parts(program), kLimit));
    EXPECT_EQ(parts, expected);
    EXPECT_EQ(wrong, 0u);
}
TEST_P(SccRegions, EachThreadRunsEachRegionOnceAndMeetsTheOthersAtItsBarriers) { for_each_trial(run_regions); }

// A critical region and a lock guard words of the chip that cores have in caches and buffers.
void run_critical_and_lock(Trial& trial) {
    constexpr unsigned kRounds = 2;
    using Line = sync::barriers::Line<Atomics>;
    Chip& chip = trial.chip;
    const unsigned home = trial.cores - 1;
    const std::unique_ptr<Line[]> shared(new Line[3]); // a counter for each, and the lock
    ASSERT_TRUE(chip.place(shared.get(), 3 * sizeof(Line), {Store::mpb, home, true}));
    unsigned inside = 0, wrong = 0;
    std::uint32_t sums[2] = {};
    const auto add = [&](Line& line) {
        wrong += ++inside != 1;
        const std::uint32_t value = line.words[0].load(std::memory_order_relaxed);
        chip.pass(trial.delay());
        chip.relax();
        line.words[0].store(value + 1, std::memory_order_relaxed);
        --inside;
    };
    const auto with_critical = [&](ChipRegions::Thread&) {
        Critical<Atomics> critical{TestAndSet(0)};
        for (unsigned i = 0; i < kRounds; ++i) {
            critical.enter();
            add(shared[0]);
            critical.leave();
        }
    };
    const auto with_lock = [&](ChipRegions::Thread&) {
        Lock<Atomics> lock(shared[2].words[0], TestAndSet(home));
        for (unsigned i = 0; i < kRounds; ++i) {
            lock.set();
            add(shared[1]);
            lock.unset();
        }
    };
    const auto program = [&](ChipRegions::Kind& kind) {
        for (const unsigned function : {0u, 1u}) {
            kind.parallel(function, 0, trial.cores);
            sums[function] = shared[function].words[0].load(std::memory_order_acquire);
        }
    };
    ChipRegions regions(chip, trial.cores, {with_critical, with_lock}, trial.on_state);
    ASSERT_TRUE(regions.placed());
    EXPECT_TRUE(chip.run(regions.parts(program), kLimit));
    EXPECT_EQ(sums[0], trial.cores * kRounds);
    EXPECT_EQ(sums[1], trial.cores * kRounds);
    EXPECT_EQ(wrong, 0u);
}
TEST_P(SccRegions, CriticalsAndLocksExcludeEachOther) { for_each_trial(run_critical_and_lock); }

INSTANTIATE_TEST_SUITE_P(From, SccRegions, testing::Range(1u, 49u, kGroup));

// While slaves wait, they poll only their own tile, so there is no traffic on the mesh.
TEST(SccDocks, WaitingSlavesAreInNobodysWay) {
    Chip chip(shipped());
    std::uint64_t before = 0, after = 0;
    ChipRegions regions(chip, 48, {[](ChipRegions::Thread&) {}}, {});
    EXPECT_TRUE(chip.run(regions.parts([&](ChipRegions::Kind& kind) {
        kind.parallel(0, 0, 48);
        chip.pass(10'000 * kCycle); // until the last join has come
        chip.relax();
        static_cast<void>(chip.take(0)); // others have had their turns
        before = chip.flits();
        chip.pass(100'000 * kCycle);
        static_cast<void>(chip.take(0));
        after = chip.flits();
    }),
                         kLimit));
    EXPECT_EQ(after, before);
}

// ---- Under the explorer: two cores, and three within bounds.

template <class Barrier> explore::Result explore_regions(unsigned cores, int preemptions, unsigned most) {
    using A = explore::Atomics;
    using Kind = Regions<A, Barrier>;
    struct State {
        explicit State(unsigned size)
            : docks(size), metadata(size), joins(Kind::join_lines(size)), barrier(Kind::barrier_lines(size)),
              functions({[this](typename Kind::Thread& thread) {
                  EXPLORE_CHECK(input == thread.frame());
                  part[thread.number()] = thread.frame();
                  thread.barrier();
                  EXPLORE_CHECK(part[(thread.number() + 1) % thread.team()] == thread.frame());
              }}),
              part(size), regions({docks, metadata, joins, barrier}, size, functions, {}) {}
        std::vector<typename Kind::Line> docks, metadata, joins, barrier;
        std::vector<typename Kind::Function> functions;
        explore::Var<unsigned> input;
        std::vector<explore::Var<unsigned>> part;
        Kind regions;
    };
    return explore::run(
        [=] {
            auto state = std::make_shared<State>(cores);
            std::vector<std::function<void()>> threads = {[=] {
                state->regions.begin();
                for (const unsigned team : {cores, cores - 1}) {
                    state->input = team;
                    state->regions.parallel(0, team, team);
                    for (unsigned i = 0; i < team; ++i)
                        EXPLORE_CHECK(state->part[i] == team);
                }
                state->regions.end();
            }};
            for (unsigned i = 1; i < cores; ++i)
                threads.push_back([=] { state->regions.serve(i); });
            return explore::Program(std::move(threads));
        },
        {.preemptions = preemptions, .max_executions = most});
}

TEST(SccRegionsExplored, RegionsHandOverAndJoin) {
    using A = explore::Atomics;
    for (const auto& result : {explore_regions<sync::barriers::ChainLut<A>>(2, 2, 20'000),
                               explore_regions<sync::barriers::Dissemination<A>>(2, 2, 20'000),
                               explore_regions<sync::barriers::ChainLut<A>>(3, 1, 10'000)})
        EXPECT_TRUE(result.passed()) << result;
}

} // namespace
} // namespace teff::machine::scc
