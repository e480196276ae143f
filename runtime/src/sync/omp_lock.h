// SPDX-License-Identifier: Apache-2.0
//
// The program's locks: omp_lock_t and omp_nest_lock_t, in the program's own memory and in the
// layouts that GCC's omp.h fixes.
//
//     omp_lock_t       4 bytes    a ProgramLock
//     omp_nest_lock_t  16 bytes   a NestLock
//
// `owner` of a nest lock is compared, never followed: it stands for the task that holds the lock.
// Who may touch what: the holder writes `owner_`, and anyone may read it to find out whether it is
// the holder; only the holder touches `count_`. A reader that is not the holder never finds its own
// name in `owner_`: it removed that before it released the lock.
#pragma once

#include <cstdint>

#include "sync/program_lock.h"

namespace teff::sync {

class NestLock {
  public:
    // Takes the lock, or goes one level deeper, if that is possible at once. The nesting
    // afterwards; 0: another owner holds it.
    [[nodiscard]] int try_set(void* owner) TEFF_LOCK_CROSSES_CALLS {
        if (owner_.load(std::memory_order_relaxed) == owner) return ++count_;
        if (!lock_.try_lock()) return 0;
        return begin(owner);
    }

    // Waits for the lock by `wait(lock)`, after try_lock has failed, if need be.
    template <class Wait> void set(void* owner, Wait&& wait) TEFF_LOCK_CROSSES_CALLS {
        if (TEFF_LIKELY(try_set(owner) != 0)) return;
        wait(lock_);
        begin(owner);
    }

    // By the holder: is it about to be given back, by the next unset?
    bool is_set_once() const { return count_ == 1; }

    // Whether it is free now.
    bool unset() TEFF_LOCK_CROSSES_CALLS {
        if (--count_ > 0) return false;
        owner_.store(nullptr, std::memory_order_relaxed); // read by others only to find that it is not theirs
        lock_.unlock();
        return true;
    }

  private:
    int begin(void* owner) {
        owner_.store(owner, std::memory_order_relaxed);
        return count_ = 1;
    }

    ProgramLock lock_;
    std::int32_t count_ = 0;
    std::atomic<void*> owner_{nullptr};
};

static_assert(sizeof(ProgramLock) == 4 && sizeof(NestLock) == 16 && alignof(NestLock) == 8, "GCC's omp.h fixes these");

// The nest lock of programs built before OpenMP 3.0 (symbol version OMP_1.0): 8 bytes, owned by a
// thread, which `tid` names.
class OldNestLock {
  public:
    [[nodiscard]] int try_set(std::uint32_t tid);
    void set(std::uint32_t tid);
    bool is_set_once() const { return count_ == 1; }
    bool unset(); // whether it is free now

  private:
    static constexpr std::uint32_t kFree = 0, kSleepers = 1u << 31; // kernel thread ids are far below

    [[nodiscard]] bool is_owner(std::uint32_t tid) const {
        return (word_.load(std::memory_order_relaxed) & ~kSleepers) == tid;
    }

    std::atomic<std::uint32_t> word_{kFree}; // tid of the owner, and whether someone may sleep
    std::int32_t count_ = 0;
};

static_assert(sizeof(OldNestLock) == 8, "old programs reserve 8 bytes");

} // namespace teff::sync
