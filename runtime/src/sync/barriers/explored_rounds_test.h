// SPDX-License-Identifier: Apache-2.0
//
// For tests: explores rounds of a barrier. With two members, all interleavings of a few rounds are
// tried. With three members, the interleavings within a limit on preemptions are tried. Mutants of
// the barrier are explored, too, and each must be detected.
#pragma once

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "explore/explore.h"
#include "sync/barriers/central.h"
#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

using explore::Options;
using explore::Program;
using explore::Result;

// The data by which the tests check a barrier. Each member writes before a barrier and reads the
// others' values after it; all members read the leader's value, which it writes between its two
// phases. Two slots alternate: one is written for the next round while the other is read.
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

// ---- Correct barriers: no error is found.

struct Size {
    Shape shape;
    Round rounds;
    Options options;
};
// Two members: all interleavings. With three members, most barriers of the family have too many
// interleavings, so only a limited number is tried.
inline constexpr Size kSizes[] = {
    {{1, 2}, 2, {.preemptions = explore::unbounded}},
    {{2, 2}, 1, {.preemptions = explore::unbounded}},
    {{2, 2}, 2, {.preemptions = 3}},
    {{2, 2}, 3, {.preemptions = 1}},
    {{3, 2}, 1, {.preemptions = 1, .max_executions = 50'000}},
    {{3, 3}, 1, {.preemptions = 1, .max_executions = 50'000}},
    {{3, 2}, 3, {.preemptions = 1, .max_executions = 20'000}},
};

inline std::string extent(const Result& result, int preemptions) {
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

// ---- Mutants: defective atomics, and defective barriers. Each defect is detected in every barrier
// that has the part that it breaks.

// Release stores are relaxed, so they publish nothing.
struct RelaxedStores : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order) { explore::atomic<T>::store(value, std::memory_order_relaxed); }
    };
};
// Acquire loads are relaxed, so they acquire nothing.
struct RelaxedLoads : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order) const { return explore::atomic<T>::load(std::memory_order_relaxed); }
    };
};
// Arrivals are relaxed, so they form no chain.
struct RelaxedArrivals : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        template <class D> T fetch_add(D by, std::memory_order) {
            return explore::atomic<T>::fetch_add(by, std::memory_order_relaxed);
        }
    };
};
// An arrival is a load and a store instead of a read-modify-write.
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

// The leader does not wait for the others.
template <class Barrier> struct LeaderWaitsForNobody : Barrier {
    using Barrier::Barrier;
    void wait(Round) {}
};
// Slaves do not wait for their release.
template <class Atomics> struct NoHold : CentralRelease<Atomics> {
    using CentralRelease<Atomics>::CentralRelease;
    void await(unsigned, Round) {}
};
template <class Gather> using Unreleased = TwoPhase<Gather, NoHold<explore::Atomics>>;
// The number of mutants.
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

// The mutants of every barrier. `for_each` is called with a type of atomics, as a template
// argument, and with a function that is to be called for each barrier with these atomics.
template <class ForEach> void expect_common_mutants_found(Mutants& mutants, ForEach&& for_each) {
    for_each.template operator()<RelaxedStores>(
        [&]<class Barrier>() { mutants.expect_found<Barrier>(Barrier::kName, "stores hand nothing over"); });
    for_each.template operator()<RelaxedLoads>(
        [&]<class Barrier>() { mutants.expect_found<Barrier>(Barrier::kName, "looks take nothing over"); });
    for_each.template operator()<explore::Atomics>([&]<class Barrier>() {
        mutants.expect_found<LeaderWaitsForNobody<Barrier>>(Barrier::kName, "the leader waits for nobody");
    });
}

} // namespace teff::sync::barriers
