// SPDX-License-Identifier: Apache-2.0
//
// The atomics of explored programs: they have the interface of base::RealAtomics, and each
// operation is a step of the explorer. Var<T> is plain shared data whose races the explorer
// reports. Both may only be used inside explore::run().

#pragma once

#include "explore/execution.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace teff::explore {

// The active execution; ends the process with a message if there is none.
Execution& execution();

// Does what std::atomic does. Each operation is a step, which the explorer may put anywhere among
// the steps of the other threads.
template <class T> class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t),
                  "the explorer models words of up to 8 bytes");

  public:
    using value_type = T;

    atomic() noexcept : atomic(T{}) {}
    atomic(T value) noexcept {
        location_.value = pack(value);
        if (Execution::active() != nullptr) Execution::active()->create(location_);
    }
    ~atomic() {
        if (Execution::active() != nullptr) Execution::active()->destroy(location_);
    }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order = std::memory_order_seq_cst) const {
        return unpack(execution().load(location_, order));
    }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) {
        execution().store(location_, pack(value), order);
    }
    operator T() const { return load(); }
    T operator=(T value) {
        store(value);
        return value;
    }

    T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
        return update("exchange", order, [&](T) { return value; });
    }

    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        const std::uint64_t seen = execution().begin_update(location_);
        if (seen == pack(expected)) {
            execution().end_update(location_, "compare_exchange", pack(desired), success);
            return true;
        }
        execution().end_failed_cas(location_, failure);
        expected = unpack(seen);
        return false;
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst) {
        return compare_exchange_strong(expected, desired, order, failure_order(order));
    }
    // Never fails spuriously, as on x86.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return compare_exchange_strong(expected, desired, success, failure);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst) {
        return compare_exchange_strong(expected, desired, order);
    }

    template <class D> T fetch_add(D by, std::memory_order order = std::memory_order_seq_cst) {
        return update("fetch_add", order, [&](T old) { return static_cast<T>(old + by); });
    }
    template <class D> T fetch_sub(D by, std::memory_order order = std::memory_order_seq_cst) {
        return update("fetch_sub", order, [&](T old) { return static_cast<T>(old - by); });
    }
    T fetch_or(T bits, std::memory_order order = std::memory_order_seq_cst) {
        return update("fetch_or", order, [&](T old) { return static_cast<T>(old | bits); });
    }
    T fetch_and(T bits, std::memory_order order = std::memory_order_seq_cst) {
        return update("fetch_and", order, [&](T old) { return static_cast<T>(old & bits); });
    }
    T fetch_xor(T bits, std::memory_order order = std::memory_order_seq_cst) {
        return update("fetch_xor", order, [&](T old) { return static_cast<T>(old ^ bits); });
    }

    // For the explorer itself.
    Location& location() const { return location_; }

  private:
    static std::uint64_t pack(T value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        return word;
    }
    static T unpack(std::uint64_t word) {
        T value;
        std::memcpy(&value, &word, sizeof value);
        return value;
    }
    static std::memory_order failure_order(std::memory_order order) {
        if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
        return order == std::memory_order_release ? std::memory_order_relaxed : order;
    }

    template <class F> T update(const char* verb, std::memory_order order, F new_value) {
        const T old = unpack(execution().begin_update(location_));
        execution().end_update(location_, verb, pack(new_value(old)), order);
        return old;
    }

    mutable Location location_;
};

// Shared data that is not atomic. If nothing orders two accesses and at least one is a write, they
// are reported as a data race, in whichever order they came. Accesses are no steps.
template <class T> class Var {
  public:
    Var(T value = T{}) : value_(std::move(value)) {
        if (Execution::active() != nullptr) Execution::active()->create_plain(accesses_);
    }
    ~Var() {
        if (Execution::active() != nullptr) Execution::active()->destroy_plain(accesses_);
    }
    Var(const Var&) = delete;
    Var& operator=(const Var&) = delete;

    const T& get() const {
        execution().read_plain(accesses_);
        return value_;
    }
    void set(T value) {
        execution().write_plain(accesses_);
        value_ = std::move(value);
    }
    operator T() const { return get(); }
    T operator=(T value) {
        set(value);
        return value;
    }

    // For the explorer itself.
    PlainAccesses& location() const { return accesses_; }

  private:
    T value_;
    mutable PlainAccesses accesses_;
};

struct Atomics {
    template <class T> using atomic = explore::atomic<T>;

    static void fence_seq_cst() { execution().fence(); }
    // Restrains only the compiler, whose reorderings the explorer does not model.
    static void light_fence() {}
    static void heavy_fence() { execution().heavy_fence(); }
    static void cpu_relax() { execution().relax(); }

    static void wait(atomic<std::uint32_t>& word, std::uint32_t expected) {
        execution().wait(word.location(), expected, false);
    }
    static void wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t) {
        execution().wait(word.location(), expected, true);
    }
    static void wake(atomic<std::uint32_t>& word, int threads) { execution().wake(word.location(), threads); }
};

// The name of an atomic or a Var in traces; `name` must live on. Without one it is called by kind
// and order of construction.
template <class Named> void name(const Named& object, const char* name) {
    execution().set_name(object.location(), name);
}

} // namespace teff::explore
