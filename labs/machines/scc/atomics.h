// SPDX-License-Identifier: Apache-2.0
//
// The atomics of the SCC. They have the interface of base::RealAtomics, so the runtime's barriers
// and protocols, which are templates over their atomics, run on the modelled chip from their
// shipped source.
//
// The chip has no coherent caches and no atomic operations on words. Each operation is implemented
// by what the chip offers:
//
//     relaxed load        a read, of the cache's copy if there is one
//     acquire load        invalidates the cache, then reads
//     relaxed store       a write into the buffer, where it may stay
//     release store       the same, then a write to a line of the core's own, which pushes the word
//                         out. Writes arrive in order, so all earlier writes have arrived, too
//     read and change     done while holding the test-and-set register of the core that owns the word
//     fence               sends the buffer, waits until it has arrived, and invalidates the cache
//
// Loads and stores of words that are placed as uncached are plain reads and writes. Outside of a
// run, while a state is set up, a word is a plain value, and operations cost nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "machines/scc/chip.h"

namespace teff::machine::scc {

template <class T> class atomic {
  public:
    static_assert(sizeof(T) <= 4 && std::is_integral_v<T>, "the chip has words of 32 bits");
    using value_type = T;

    atomic() noexcept = default;
    constexpr atomic(T value) noexcept : value_(static_cast<std::uint32_t>(value)) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order = std::memory_order_seq_cst) const {
        Chip* const chip = Chip::active();
        return static_cast<T>(chip != nullptr ? chip->read(this, order != std::memory_order_relaxed) : value_);
    }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) {
        Chip* const chip = Chip::active();
        if (chip == nullptr) return void(value_ = static_cast<std::uint32_t>(value));
        chip->write(this, static_cast<std::uint32_t>(value));
        if (order != std::memory_order_relaxed) chip->push_out();
        if (order == std::memory_order_seq_cst) chip->await_write();
    }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T) { return value; });
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
        const T old = update([&](T now) { return now == expected ? desired : now; });
        const bool equal = old == expected;
        expected = old;
        return equal;
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return compare_exchange_strong(expected, desired, success, failure);
    }
    template <class D> T fetch_add(D by, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T old) { return static_cast<T>(old + static_cast<T>(by)); });
    }
    template <class D> T fetch_sub(D by, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T old) { return static_cast<T>(old - static_cast<T>(by)); });
    }

  private:
    template <class F> T update(F new_value);

    std::uint32_t value_ = 0; // outside of a run
};

// A core's test-and-set register. Its holder reads the guarded words anew, and the holder's changes
// arrive before the register is released.
class TestAndSet {
  public:
    explicit TestAndSet(unsigned of_core) : of_core_(of_core) {}

    [[nodiscard]] bool try_take() {
        if (!Chip::active()->take(of_core_)) return false;
        Chip::active()->invalidate();
        return true;
    }
    void take() {
        while (!try_take())
            Chip::active()->relax();
    }
    void give_back() {
        Chip::active()->push_out();
        Chip::active()->give_back(of_core_);
    }

  private:
    unsigned of_core_;
};

template <class T> template <class F> T atomic<T>::update(F new_value) {
    if (Chip::active() == nullptr) {
        const T before = static_cast<T>(value_);
        value_ = static_cast<std::uint32_t>(new_value(before));
        return before;
    }
    TestAndSet guard(Chip::active()->guard_of(this));
    guard.take();
    const T old = load(std::memory_order_acquire);
    store(new_value(old), std::memory_order_release);
    guard.give_back();
    return old;
}

struct Atomics {
    template <class T> using atomic = scc::atomic<T>;
    using Word = atomic<std::uint32_t>;
    using TestAndSet = scc::TestAndSet;

    static void fence_seq_cst() {
        Chip::active()->push_out();
        Chip::active()->await_write();
        Chip::active()->invalidate();
    }
    static void cpu_relax() { Chip::active()->relax(); }
};

} // namespace teff::machine::scc
