// SPDX-License-Identifier: Apache-2.0
//
// For tests: runs a barrier on real threads for thousands of rounds, in most cases with far more
// threads than processors. Further tests use both phases, with work of the leader between them. The
// tests of each barrier instantiate the suite BarrierOnThreads with this barrier.
#pragma once

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

#include "base/atomics.h"
#include "sync/barriers/two_phase.h"

namespace teff::sync::barriers {

// A waiting thread gives its processor to the threads for which it waits. It first yields, then
// sleeps for a while, because yields also give the processor to other processes.
struct Yielding : base::RealAtomics {
    static void cpu_relax() {
        thread_local unsigned looks = 0;
        if (++looks % 8 != 0) sched_yield();
        else std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
};

template <class Barrier> class TeamOnThreads {
  public:
    TeamOnThreads(const Shape& shape, Round rounds)
        : lines_(new typename Barrier::Line[Barrier::lines(shape)]), barrier_(lines_.get(), shape),
          members_(shape.members), rounds_(rounds), own_(shape.members) {}

    // The number of errors: a member found that another had not arrived, or that the leader's work
    // was not done.
    unsigned run() {
        std::vector<std::thread> slaves;
        for (unsigned i = 1; i < members_; ++i)
            slaves.emplace_back([this, i] { take_part(i); });
        take_part(0);
        for (std::thread& slave : slaves)
            slave.join();
        return wrong_.load();
    }

  private:
    struct alignas(base::kCacheLine) Own {
        Round written[2] = {}; // plain: for ThreadSanitizer
    };

    void take_part(unsigned number) {
        for (Round round = 1; round <= rounds_; ++round) {
            own_[number].written[round % 2] = round;
            if (number != 0) {
                barrier_.slave_enter(number, round);
                check(Barrier::kDuties == Duties::all || house_[round % 2] == round);
            } else {
                barrier_.wait(round);
                if (Barrier::kDuties != Duties::all) house_[round % 2] = round;
                barrier_.release(round);
            }
            check(own_[(number + 1) % members_].written[round % 2] == round);
            check(own_[(number + members_ / 2) % members_].written[round % 2] == round);
        }
    }
    void check(bool holds) { wrong_ += !holds; }

    std::unique_ptr<typename Barrier::Line[]> lines_;
    Barrier barrier_;
    unsigned members_;
    Round rounds_;
    std::vector<Own> own_;
    Round house_[2] = {};
    std::atomic<unsigned> wrong_{0};
};

template <class Barrier> struct BarrierOnThreads : testing::Test {
    static unsigned run(const Shape& shape, Round rounds) { return TeamOnThreads<Barrier>(shape, rounds).run(); }
};

TYPED_TEST_SUITE_P(BarrierOnThreads);

TYPED_TEST_P(BarrierOnThreads, HoldsTeamsOfAnySizeTogether) {
    for (unsigned members : {1, 2, 3, 5, 8, 9, 17})
        for (unsigned fan_in : {2, 8})
            EXPECT_EQ(this->run({members, fan_in}, 6), 0u) << members << " members, groups of " << fan_in;
}

TYPED_TEST_P(BarrierOnThreads, HoldsForThousandsOfRounds) { EXPECT_EQ(this->run({4, 2}, 2000), 0u); }

TYPED_TEST_P(BarrierOnThreads, HoldsFarMoreThreadsThanProcessors) { EXPECT_EQ(this->run({100, 8}, 10), 0u); }

REGISTER_TYPED_TEST_SUITE_P(BarrierOnThreads, HoldsTeamsOfAnySizeTogether, HoldsForThousandsOfRounds,
                            HoldsFarMoreThreadsThanProcessors);

} // namespace teff::sync::barriers
