// SPDX-License-Identifier: Apache-2.0
#include "device/deferred.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace teff::device {
namespace {

constexpr unsigned kDevices = 2, kThreads = 4, kEach = 500;

struct Counted : Deferred {
    unsigned creator = 0, number = 0, device = 0;
};

bool never() { return false; }

// Written by the device's thread alone; read after await_deferred.
struct Seen {
    unsigned next_of[kThreads] = {}; // the number of the next construct of each creator
    unsigned out_of_order = 0, count = 0;
};
Seen seen[kDevices];

void note(Deferred& construct) {
    auto* const counted = static_cast<Counted*>(&construct);
    Seen& of_device = seen[counted->device];
    ++of_device.count;
    if (counted->number < of_device.next_of[counted->creator]) ++of_device.out_of_order;
    of_device.next_of[counted->creator] = counted->number + 1;
    delete counted;
}

TEST(Deferred, EachDeviceCarriesOutAllOfItsConstructsInTheOrderOfEachCreator) {
    make_queues(kDevices);
    std::vector<std::thread> creators;
    for (unsigned creator = 0; creator < kThreads; ++creator)
        creators.emplace_back([creator] {
            for (unsigned number = 0; number < kEach; ++number) {
                auto* const construct = new Counted{{nullptr, note}, creator, number, number % kDevices};
                carry_out_later(construct->device, *construct);
            }
        });
    for (std::thread& creator : creators)
        creator.join();
    await_deferred(never);
    for (const Seen& of_device : seen) {
        EXPECT_EQ(of_device.count, kThreads * kEach / kDevices);
        EXPECT_EQ(of_device.out_of_order, 0u);
    }
}

// A construct that waits until data of the next one have been sent, and one that is waited for.
struct Pair {
    struct Waiting : Deferred {
        Pair* pair;
    };
    struct Large : Deferred {
        Pair* pair;
    };
    Waiting waiting = {};
    Large large = {};
    std::atomic<unsigned> sent{0}, carried_out{0};
};

TEST(Deferred, DataOfTheNextConstructAreSentOnceWhileOneIsCarriedOut) {
    if (seen[0].count == 0) make_queues(kDevices);
    Deferred opening = {nullptr, [](Deferred&) { begin_to_send_ahead(0); }};
    carry_out_later(0, opening);
    await_deferred(never);
    for (int round = 0; round < 200; ++round) {
        Pair pair;
        pair.waiting.pair = pair.large.pair = &pair;
        pair.waiting.carry_out = [](Deferred& construct) {
            Pair& own = *static_cast<Pair::Waiting&>(construct).pair;
            while (own.sent == 0)
                std::this_thread::yield();
        };
        pair.large.send_ahead = [](Deferred& construct) {
            Pair& own = *static_cast<Pair::Large&>(construct).pair;
            std::this_thread::yield();
            EXPECT_EQ(own.carried_out, 0u);
            ++own.sent;
        };
        pair.large.carry_out = [](Deferred& construct) {
            Pair& own = *static_cast<Pair::Large&>(construct).pair;
            EXPECT_EQ(own.sent, 1u) << "the construct has waited for its data";
            ++own.carried_out;
        };
        carry_out_later(0, pair.waiting);
        carry_out_later(0, pair.large);
        await_deferred(never);
        EXPECT_EQ(pair.sent, 1u);
        EXPECT_EQ(pair.carried_out, 1u);
    }
}

TEST(Deferred, AwaitingThemInADevicesThreadWaitsForNothing) {
    if (seen[0].count == 0) make_queues(kDevices);
    static std::atomic<bool> returned{false};
    Deferred construct = {nullptr, [](Deferred&) {
                              await_deferred(never); // as a message that ends the process does
                              returned = true;
                          }};
    carry_out_later(0, construct);
    await_deferred(never);
    EXPECT_TRUE(returned);
}

TEST(Deferred, AwaitingThemCanBeGivenUp) {
    if (seen[0].count == 0) make_queues(kDevices);
    static std::atomic<bool> is_lost{false}, may_end{false};
    Deferred construct = {nullptr, [](Deferred&) {
                              is_lost = true;
                              while (!may_end)
                                  std::this_thread::yield();
                          }};
    carry_out_later(1, construct);
    await_deferred([] { return is_lost.load(); });
    may_end = true;
    await_deferred(never);
}

} // namespace
} // namespace teff::device
