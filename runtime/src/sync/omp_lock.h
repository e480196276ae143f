// SPDX-License-Identifier: Apache-2.0
//
// The program's locks: omp_lock_t and omp_nest_lock_t, in the program's own memory and in the
// layouts that GCC's omp.h fixes.
//
//     omp_lock_t       4 bytes    a ProgramLock
//     omp_nest_lock_t  16 bytes   a NestLock
//
// The `owner` of a nest lock identifies the task that holds the lock. The pointer is compared,
// never dereferenced. Only the holder writes `owner_`; any thread may read it to find out whether
// it is the holder. Only the holder accesses `count_`. A reader that is not the holder never finds
// its own value in `owner_`, because it removed this value before it released the lock.
#pragma once

#include <cstdint>

#include "sync/program_lock.h"

namespace teff::sync {

class NestLock {
  public:
    // Takes the lock, or increases its nesting, if this is possible at once. Returns the nesting
    // afterwards, or 0 if another owner holds the lock.
    [[nodiscard]] int try_set(void* owner) TEFF_LOCK_CROSSES_CALLS {
        if (owner_.load(std::memory_order_relaxed) == owner) return ++count_;
        if (!lock_.try_lock()) return 0;
        return begin(owner);
    }

    // Takes the lock, or increases its nesting. If another owner holds the lock, calls
    // `wait(lock)`, which waits for the lock and takes it.
    template <class Wait> void set(void* owner, Wait&& wait) TEFF_LOCK_CROSSES_CALLS {
        if (TEFF_LIKELY(try_set(owner) != 0)) return;
        wait(lock_);
        begin(owner);
    }

    // Returns true if the next unset will release the lock. Called by the holder.
    bool is_set_once() const { return count_ == 1; }

    // Decreases the nesting, and releases the lock when the nesting is 0. Returns true if it has
    // released the lock. Called by the holder.
    bool unset() TEFF_LOCK_CROSSES_CALLS {
        if (--count_ > 0) return false;
        owner_.store(nullptr, std::memory_order_relaxed); // other threads only compare it with their own values
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

// The nest lock of programs built before OpenMP 3.0 (symbol version OMP_1.0). It has 8 bytes and is
// owned by a thread, identified by `tid` (the kernel's thread id).
class OldNestLock {
  public:
    [[nodiscard]] int try_set(std::uint32_t tid);
    void set(std::uint32_t tid);
    bool is_set_once() const { return count_ == 1; }
    bool unset(); // returns true if it has released the lock

  private:
    static constexpr std::uint32_t kFree = 0, kSleepers = 1u << 31; // kernel thread ids are far smaller

    [[nodiscard]] bool is_owner(std::uint32_t tid) const {
        return (word_.load(std::memory_order_relaxed) & ~kSleepers) == tid;
    }

    std::atomic<std::uint32_t> word_{kFree}; // tid of the owner; kSleepers if a thread may sleep
    std::int32_t count_ = 0;
};

static_assert(sizeof(OldNestLock) == 8, "old programs reserve 8 bytes");

} // namespace teff::sync
