// SPDX-License-Identifier: Apache-2.0
//
// The explorer's atomic does what std::atomic does.

#include "explore/explore.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

namespace teff::explore {
namespace {

using enum std::memory_order;

// Each operation once, with what it returned and what it left behind.
template <class Word> std::vector<long> integer_operations() {
    std::vector<long> log;
    Word word{5};
    auto note = [&](auto returned) {
        log.insert(log.end(), {static_cast<long>(returned), static_cast<long>(word.load())});
    };
    note(word.exchange(7, acq_rel));
    note(word.fetch_add(3, relaxed));
    note(word.fetch_sub(20, release));
    note(word.fetch_or(0x30, acquire));
    note(word.fetch_and(0x1f));
    note(word.fetch_xor(0xff));
    auto expected = word.load(relaxed);
    note(word.compare_exchange_strong(expected, 9, seq_cst, relaxed));
    note(word.compare_exchange_strong(expected, 10, acq_rel, acquire));
    note(expected);
    note(word.compare_exchange_strong(expected, 11, acq_rel));
    word.store(12, release);
    note(word = 13);
    return log;
}

template <template <class> class Atomic> std::vector<long> other_types() {
    enum class Colour : std::uint8_t { red, green };
    static int numbers[4];
    Atomic<int*> pointer{numbers};
    Atomic<bool> flag{false};
    Atomic<Colour> colour{Colour::red};
    Colour green = Colour::green;
    return {pointer.fetch_add(2) - numbers,
            pointer.fetch_sub(1) - numbers,
            pointer.load() - numbers,
            flag.exchange(true),
            flag.load(),
            colour.compare_exchange_strong(green, Colour::green),
            static_cast<long>(green),
            static_cast<long>(colour.load())};
}

template <class F> void expect_explored(F values, const std::vector<long>& expected) {
    std::vector<long> seen;
    const Result result = run([&] { return Program({[&] { seen = values(); }}); });
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_EQ(seen, expected);
}

TEST(Atomic, ComputesWhatStdAtomicDoes) {
    expect_explored(integer_operations<atomic<int>>, integer_operations<std::atomic<int>>());
    expect_explored(integer_operations<atomic<std::uint8_t>>, integer_operations<std::atomic<std::uint8_t>>());
    expect_explored(integer_operations<atomic<std::uint64_t>>, integer_operations<std::atomic<std::uint64_t>>());
    expect_explored(other_types<atomic>, other_types<std::atomic>());
}

TEST(AtomicDeathTest, IsOfNoUseOutsideTheExplorer) {
    atomic<int> word{0};
    EXPECT_DEATH((void)word.load(), "outside explore::run");
}

} // namespace
} // namespace teff::explore
