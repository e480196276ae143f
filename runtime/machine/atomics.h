// SPDX-License-Identifier: Apache-2.0
//
// The atomics of modelled machines. They have the interface of base::RealAtomics, so the runtime's
// protocols, which are templates over their atomics, run on a modelled machine from their shipped
// source.
//
// Each operation costs the time that the running core needs to get its cache line (lines.h), and
// takes effect in the core's turn. An atomic has the same size as the runtime's atomic, so words
// share lines as they do in the runtime. Outside of a simulation, while a state is set up,
// operations cost nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "machine/simulation.h"

namespace teff::machine {

template <class T> class atomic {
  public:
    using value_type = T;

    atomic() noexcept = default;
    constexpr atomic(T value) noexcept : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order = std::memory_order_seq_cst) const {
        touch(Touch::load);
        return value_;
    }
    // A sequentially consistent store waits until other cores can see it.
    void store(T value, std::memory_order order = std::memory_order_seq_cst) {
        touch(order == std::memory_order_seq_cst ? Touch::update : Touch::store);
        value_ = value;
    }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T) { return value; });
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
        touch(Touch::update);
        const bool equal = value_ == expected;
        (equal ? value_ : expected) = equal ? desired : value_;
        return equal;
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return compare_exchange_strong(expected, desired, success, failure);
    }
    template <class D> T fetch_add(D by, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T old) { return static_cast<T>(old + by); });
    }
    template <class D> T fetch_sub(D by, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T old) { return static_cast<T>(old - by); });
    }
    T fetch_or(T bits, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T old) { return static_cast<T>(old | bits); });
    }
    T fetch_and(T bits, std::memory_order = std::memory_order_seq_cst) {
        return update([&](T old) { return static_cast<T>(old & bits); });
    }

  private:
    void touch(Touch kind) const {
        if (Simulation* const simulation = Simulation::active()) simulation->touch(this, kind);
    }
    template <class F> T update(F new_value) {
        touch(Touch::update);
        const T old = value_;
        value_ = new_value(old);
        return old;
    }

    T value_{};
};

struct Atomics {
    template <class T> using atomic = machine::atomic<T>;
    using Word = atomic<std::uint32_t>;

    static void fence_seq_cst() { Simulation::active()->pass(Simulation::active()->description().cached_atomic); }
    static void light_fence() {}
    // The system interrupts every core that runs the program. This costs about as much as waking a
    // core.
    static void heavy_fence() { Simulation::active()->pass(Simulation::active()->description().wake); }
    static void cpu_relax() { Simulation::active()->pass(kPause); }

    static void wait(Word& word, std::uint32_t expected) { wait_for(word, expected, 0); }
    static void wait_for(Word& word, std::uint32_t expected, std::uint64_t ns) {
        Simulation& simulation = *Simulation::active();
        if (word.fetch_add(0) != expected) return;
        simulation.sleep(&word, ns * simulation.description().clock_mhz * (kCycle / 1000));
    }
    static void wake(Word& word, int threads) { Simulation::active()->wake(&word, threads); }

    static constexpr Time kPause = 40 * kCycle;
};

} // namespace teff::machine
