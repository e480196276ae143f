// SPDX-License-Identifier: Apache-2.0
//
// Sleepers: which members of a team sleep because they have no work, so that whoever makes work
// can wake one.
//
// One per team. A member enters before it sleeps (enter), looks once more whether there is work,
// and leaves when it wakes (leave). Whoever makes work ready takes one member out (try_take_one)
// and unparks it. All from any thread.
//
// Not to wake the whole team for one task, and not to wake at every spawn, wakers hold back while a
// member is searching: a member that a waker took out counts as searching until it finds work or
// gives up. One that finds work passes the duty on: if it was the last searcher it wakes the next
// sleeper (wake-up chain, as in the Go and tokio schedulers).
//
// Only the first so many members take part in the team's region (resize). Those beyond may sleep
// here yet, from the region before: an event for all leaves them alone, and a waker of one takes
// them last, for they can run nothing. One that wakes does not come back here.
//
// No wake-up is lost:
// [sleep-1] make ready:  store the task; light fence; load word_ (idle?)
//           fall asleep: enter (read-modify-writes); fence_before_last_look (heavy fence); look for
//           tasks once more
//           The asymmetric pair forbids that the maker misses the sleeper and the sleeper misses the
//           task.
// [sleep-2] make ready:     store the task; light fence; load word_ (somebody searches: hold back)
//           stop searching: take one off word_ (read-modify-write); heavy fence; look at all
//           queues; wake a sleeper if one is not empty
//           A maker that saw the searcher loaded word_ before the searcher took itself off, so the
//           heavy fence makes the maker's task visible to the look. Where nobody sleeps, the last
//           searcher need not look: who falls asleep later looks ([sleep-1]).
// [sleep-3] A waker that found no sleeper's bit held others back by a searcher that never was. It
//           looks again: a sleeper that set its bit meanwhile is woken in their place; one that has
//           yet to set it looks for tasks after that.
// [sleep-4] Who clears a member's bit, the member itself (leave) or a waker, decides whether it is
//           a sleeper that has left or a searcher; all are read-modify-writes of the bit, so one
//           wins, and changes word_ accordingly.
// [sleepers-1] A thread outside the team may wake sleepers while the leader gives the team larger
//              arrays. It reads how many words there are (acquire), then where: so the array has as
//              many at least (release). The old one stays.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::sched {

template <class Atomics> class SleepersOver {
  public:
    using Word = typename Atomics::template atomic<std::uint64_t>;
    static constexpr unsigned kNone = ~0u;

    // `bits` has one 64-bit word for 64 members, belongs to the caller.
    void attach(Word* bits, unsigned members) {
        bits_.store(bits, std::memory_order_relaxed);
        words_.store((members + 63) / 64, std::memory_order_release); // [sleepers-1]
    }

    // How many members take part. Between regions; a late waker from outside the team may use the
    // last number, and wakes somebody for nothing.
    void resize(unsigned members) { members_.store(members, std::memory_order_relaxed); }

    // Afterwards the member looks for tasks once more, and then sleeps.
    void enter(unsigned member) {
        word_.fetch_add(kSleeper, std::memory_order_seq_cst); // [sleep-1]
        word_of(member).fetch_or(bit(member),                 // [sleep-1] [sleep-4]
                                 std::memory_order_seq_cst);  // a full fence: enough against makers that use one, too
    }
    void fence_before_last_look() { Atomics::heavy_fence(); } // [sleep-1]

    // True: `member` took itself out. False: a waker did, and `member` is a searcher now.
    [[nodiscard]] bool leave(unsigned member) {
        if ((word_of(member).fetch_and(~bit(member), std::memory_order_seq_cst) & bit(member)) == 0)
            return false;                                     // [sleep-4]
        word_.fetch_sub(kSleeper, std::memory_order_seq_cst); // [sleep-4]
        return true;
    }

    // HOT producer: is there someone to wake, and nobody searching? Call after the task is stored.
    [[nodiscard]] bool worth_waking() const {
        Atomics::light_fence(); // [sleep-1]
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        return word >= kSleeper && word % kSleeper == 0;
    }
    // Is a member under way that a waker has taken out? Then a sleeper that asks after it has
    // entered is among those for whom the last searcher looks ([sleep-2]), and may sleep.
    [[nodiscard]] bool anybody_searches() const {
        return word_.load(std::memory_order_seq_cst) % kSleeper != 0; // [sleep-2]
    }
    [[nodiscard]] bool any() const { return word_.load(std::memory_order_seq_cst) >= kSleeper; } // [barrier-2]

    // Takes one sleeper out and makes it a searcher; kNone if there is none, or if another waker's
    // searcher is under way. `wanted` is taken if it sleeps; any else.
    [[nodiscard]] unsigned try_take_one(unsigned wanted = kNone) {
        do {
            std::uint64_t word = word_.load(std::memory_order_seq_cst); // [sleep-1] [sleep-2]
            do {
                if (word < kSleeper || word % kSleeper != 0) return kNone;
            } while (!word_.compare_exchange_weak(word, word - kSleeper + 1, std::memory_order_seq_cst,
                                                  std::memory_order_seq_cst)); // [sleep-1] [sleep-2]
            const unsigned member = wanted != kNone && take_bit(wanted) ? wanted : take_any_bit();
            if (member != kNone) return member;
            // Between the two words a sleeper may have left by itself, or has yet to set its bit:
            // the searcher does not exist.
            word_.fetch_add(kSleeper - 1, std::memory_order_seq_cst); // [sleep-3]
        } while (any_bit());
        return kNone;
    }

    // Takes every sleeper out (an event for all: a barrier, a cancellation) and calls
    // `wake(member)` for each. They become searchers.
    template <class Wake> void take_all(Wake&& wake) {
        const unsigned words = words_.load(std::memory_order_acquire); // [sleepers-1]
        Word* const bits = bits_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < words; ++i) {
            const std::uint64_t all = taking_part(i);
            if ((bits[i].load(std::memory_order_seq_cst) & all) == 0) continue;             // [barrier-2]
            std::uint64_t taken = bits[i].fetch_and(~all, std::memory_order_seq_cst) & all; // [sleep-4]
            if (taken == 0) continue;
            word_.fetch_sub((kSleeper - 1) * static_cast<std::uint64_t>(__builtin_popcountll(taken)), // [sleep-4]
                            std::memory_order_seq_cst);
            for (; taken != 0; taken &= taken - 1)
                wake(i * 64 + static_cast<unsigned>(__builtin_ctzll(taken)));
        }
    }

    // A member that was taken out has found work or given up. True: it was the last searcher and
    // others sleep, so it passes the duty on: it looks at all queues once more, and wakes one of
    // the others if it sees a task.
    [[nodiscard]] bool stop_searching() {
        const std::uint64_t before = word_.fetch_sub(1, std::memory_order_seq_cst); // [sleep-2]
        if (before % kSleeper != 1 || before < kSleeper) return false;
        Atomics::heavy_fence(); // [sleep-2]
        return true;
    }

  private:
    static constexpr std::uint64_t kSleeper = 1u << 16; // low 16 bits: searchers; above: sleepers

    static std::uint64_t bit(unsigned member) { return std::uint64_t{1} << (member % 64); }

    [[nodiscard]] bool any_bit() const {
        const unsigned words = words_.load(std::memory_order_acquire); // [sleepers-1]
        Word* const bits = bits_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < words; ++i)
            if (bits[i].load(std::memory_order_seq_cst) != 0) return true; // [sleep-3]
        return false;
    }

    bool take_bit(unsigned member) {
        if (member / 64 >= words_.load(std::memory_order_acquire)) return false;                        // [sleepers-1]
        return (word_of(member).fetch_and(~bit(member), std::memory_order_seq_cst) & bit(member)) != 0; // [sleep-4]
    }

    // In the bits' word `i`: those of members that take part.
    std::uint64_t taking_part(unsigned i) const {
        const unsigned members = members_.load(std::memory_order_relaxed);
        return members >= (i + 1) * 64 ? ~std::uint64_t{0} : members <= i * 64 ? 0 : bit(members) - 1;
    }

    unsigned take_any_bit() {
        const unsigned taken = take_bit_among([this](unsigned i) { return taking_part(i); });
        return taken != kNone ? taken : take_bit_among([](unsigned) { return ~std::uint64_t{0}; });
    }

    template <class Among> unsigned take_bit_among(Among&& among) {
        const unsigned words = words_.load(std::memory_order_acquire); // [sleepers-1]
        Word* const bits = bits_.load(std::memory_order_relaxed);
        for (unsigned i = 0; i < words; ++i) {
            std::uint64_t seen = bits[i].load(std::memory_order_seq_cst) & among(i); // [sleep-4]
            while (seen != 0) {
                const unsigned member = i * 64 + static_cast<unsigned>(__builtin_ctzll(seen));
                if (bits[i].fetch_and(~bit(member), std::memory_order_seq_cst) & bit(member))
                    return member; // [sleep-4]
                seen &= seen - 1;
            }
        }
        return kNone;
    }

    Word& word_of(unsigned member) { return bits_.load(std::memory_order_relaxed)[member / 64]; }

    Word word_{0};
    // They change between regions: no step of what the explorer tries.
    std::atomic<Word*> bits_{nullptr};
    std::atomic<unsigned> words_{0};
    std::atomic<unsigned> members_{~0u};
};

using Sleepers = SleepersOver<base::RealAtomics>;

} // namespace teff::sched
