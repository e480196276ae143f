// SPDX-License-Identifier: Apache-2.0
//
// Sleepers: the members of a team that sleep because they have no work. A thread that makes work
// ready looks here for a member to wake.
//
// Each team has one Sleepers object. A member enters before it sleeps (enter), looks for work once
// more, and leaves when it wakes (leave). A thread that makes work ready takes one member out
// (try_take_one) and unparks this member. Any thread may call these functions.
//
// Not every new task wakes a member, and no task wakes the whole team: wakers hold back while a
// member is searching. A member that a waker has taken out counts as searching until it finds work
// or gives up. If a searcher that finds work was the last searcher, it wakes the next sleeper (a
// wake-up chain, as in the Go and tokio schedulers).
//
// Only the members below a given number take part in the team's region (resize). Members beyond
// that number may still sleep here from an earlier region, but they can run nothing. An event for
// all members does not wake members beyond the number (take_all), and a waker that takes one member
// takes such a member last (try_take_one). When such a member wakes, it does not enter again.
//
// No wake-up is lost:
// [sleep-1] make ready:  store the task; light fence; load word_ (is a member idle?)
//           fall asleep: enter (read-modify-writes); fence_before_look (heavy fence); look for
//           tasks once more
//           The asymmetric pair of fences ensures that the maker of the task sees the sleeper, or
//           the sleeper sees the task.
// [sleep-2] make ready:     store the task; light fence; load word_ (somebody searches: hold back)
//           stop searching: subtract one searcher from word_ (read-modify-write); heavy fence; look
//           at all queues; wake a sleeper if a queue is not empty
//           If a maker saw the searcher, it loaded word_ before the searcher was subtracted. So the
//           heavy fence makes the maker's task visible to the searcher's look. If no member sleeps,
//           the last searcher need not look: a member that falls asleep later looks ([sleep-1]).
// [sleep-3] try_take_one counts a searcher before it finds a sleeper's bit. If it finds no bit,
//           other wakers may have held back for a searcher that did not exist. So, on behalf of
//           these wakers, try_take_one looks at the bits again, and wakes a sleeper that has set
//           its bit meanwhile. If a sleeper sets its bit only after this second look, its own look
//           for tasks comes even later, and finds the tasks of these wakers.
// [sleep-4] Either the member itself (leave) or a waker clears the member's bit. The thread that
//           clears the bit decides whether the member becomes a sleeper that has left or a
//           searcher, and changes word_ accordingly. Both use a read-modify-write of the bit, so
//           exactly one of them wins.
// [sleepers-1] A thread outside the team may wake sleepers while the leader gives the team larger
//              arrays. The thread reads the number of words (acquire) before the array's address.
//              The leader stores the address before the number (release), so the array has at
//              least that many words. The old array is kept.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::sched {

template <class Atomics> class SleepersOver {
  public:
    using Word = typename Atomics::template atomic<std::uint64_t>;
    static constexpr unsigned kNone = ~0u;

    // Sets the array of bits: `bits` has one 64-bit word for every 64 members, and belongs to the
    // caller.
    void attach(Word* bits, unsigned members) {
        bits_.store(bits, std::memory_order_relaxed);
        words_.store((members + 63) / 64, std::memory_order_release); // [sleepers-1]
    }

    // Sets how many members take part. Called between regions. A late waker from outside the team
    // may still use the previous number; it then wakes a member that finds nothing to do.
    void resize(unsigned members) { members_.store(members, std::memory_order_relaxed); }

    // Makes `member` a sleeper. The member then looks for tasks once more before it sleeps.
    void enter(unsigned member) {
        word_.fetch_add(kSleeper, std::memory_order_seq_cst); // [sleep-1]
        word_of(member).fetch_or(bit(member),                 // [sleep-1] [sleep-4]
                                 std::memory_order_seq_cst);  // a full fence, so that it also pairs
                                                              // with makers that use a full fence
    }
    void fence_before_look() { Atomics::heavy_fence(); } // [sleep-1] [sleep-2]

    // Takes `member` out of the sleepers. Returns true if this call took the member out. Returns
    // false if a waker had already done so; `member` is then a searcher.
    [[nodiscard]] bool leave(unsigned member) {
        if ((word_of(member).fetch_and(~bit(member), std::memory_order_seq_cst) & bit(member)) == 0)
            return false;                                     // [sleep-4]
        word_.fetch_sub(kSleeper, std::memory_order_seq_cst); // [sleep-4]
        return true;
    }

    // HOT producer. Returns true if a member sleeps and none is searching. Called after the task
    // is stored.
    [[nodiscard]] bool worth_waking() const {
        Atomics::light_fence(); // [sleep-1]
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        return word >= kSleeper && word % kSleeper == 0;
    }
    // Returns true if a member is searching. A member that gets true after it has entered may
    // sleep: the last searcher looks at the queues on behalf of all members that have entered
    // ([sleep-2]).
    [[nodiscard]] bool anybody_searches() const {
        return word_.load(std::memory_order_seq_cst) % kSleeper != 0; // [sleep-2]
    }
    [[nodiscard]] bool any() const { return word_.load(std::memory_order_seq_cst) >= kSleeper; } // [barrier-2]

    // Takes one sleeper out, makes it a searcher and returns its number. Takes `wanted` if that
    // member sleeps, otherwise any sleeper. Returns kNone if no member sleeps, or if another thread
    // already searches.
    [[nodiscard]] unsigned try_take_one(unsigned wanted = kNone) {
        do {
            std::uint64_t word = word_.load(std::memory_order_seq_cst); // [sleep-1] [sleep-2]
            do {
                if (word < kSleeper || word % kSleeper != 0) return kNone;
            } while (!word_.compare_exchange_weak(word, word - kSleeper + 1, std::memory_order_seq_cst,
                                                  std::memory_order_seq_cst)); // [sleep-1] [sleep-2]
            const unsigned member = wanted != kNone && take_bit(wanted) ? wanted : take_any_bit();
            if (member != kNone) return member;
            // word_ counted a sleeper, but no bit was set: the sleeper has left by itself
            // meanwhile, or has yet to set its bit. So the counted searcher does not exist.
            word_.fetch_add(kSleeper - 1, std::memory_order_seq_cst); // [sleep-3]
        } while (any_bit());
        return kNone;
    }

    // Takes out every sleeper that takes part in the region, makes it a searcher and calls
    // `wake(member)` for it. Used for events for all members: a barrier, a cancellation.
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

    // Called by a searcher that has found work or given up. Returns true if it was the last
    // searcher and other members sleep. The caller then calls fence_before_look, looks at all
    // queues once more, and wakes a sleeper if it sees a task.
    [[nodiscard]] bool stop_searching() {
        const std::uint64_t before = word_.fetch_sub(1, std::memory_order_seq_cst); // [sleep-2]
        return before % kSleeper == 1 && before >= kSleeper;
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

    // Returns a mask for word `i` of the bits: the bits of members that take part.
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
    // These change between regions only, so the explorer does not model their accesses.
    std::atomic<Word*> bits_{nullptr};
    std::atomic<unsigned> words_{0};
    std::atomic<unsigned> members_{~0u};
};

using Sleepers = SleepersOver<base::RealAtomics>;

} // namespace teff::sched
