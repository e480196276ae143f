// SPDX-License-Identifier: Apache-2.0
//
// Placements: how many allocations the process's threads are asking the kernel to place, and
// whether another may begin.
//
// A thread that restricts the process's system calls stops them first, and waits for those that
// have begun: a filter for all threads (SECCOMP_FILTER_FLAG_TSYNC) would end them at their next
// call. The wait has an end: a placement may be one that a handler has interrupted, which waits for
// what the waiting thread holds.
//
// The object fills pages of its own, which the kernel clears in a forked child: the threads that
// were placing memory are not there. A child that shares our memory (vfork) has another process
// number than the one noted, a forked one finds none. Where the kernel does not clear them (Linux
// before 4.14), none is noted.
//
// Who may: any thread, without a lock; also in a signal handler.
//
// [distribute-2] All is one word: who begins after the stop learns of it from that word, who begins
//                before it is counted there. An end releases, so that the wait (acquire) has all of
//                that placement's system calls behind it.
#pragma once

#include <atomic>
#include <ctime>
#include <sys/mman.h>

#include "base/system_call.h"
#include "mem/nodes.h"
#include "mem/placement.h"

namespace teff::distribute {

class alignas(mem::kPageBytes) Placements {
  public:
    // False: none may begin, and there is nothing to end.
    [[nodiscard]] bool begin() {
        if ((word_.fetch_add(kOne, std::memory_order_acquire) & kStopped) == 0) return true; // [distribute-2]
        end();
        return false;
    }
    void end() { word_.fetch_sub(kOne, std::memory_order_release); } // [distribute-2]

    long count() const { return word_.load(std::memory_order_acquire) / kOne; } // [distribute-2]

    // From here on none begins. Returns when all have ended but the caller's own, or after a while.
    void stop(long own) {
        word_.fetch_or(kStopped, std::memory_order_acq_rel); // [distribute-2]
        for (int tries = 0; count() > own && tries < kTries; ++tries) {
            const timespec pause = {0, kPauseNs};
            (void)base::call(SYS_nanosleep, &pause, nullptr);
        }
    }

    // By the first thread, before the first placement.
    void note_process() {
        if (base::call(SYS_madvise, this, sizeof *this, MADV_WIPEONFORK) == 0) process_ = base::call(SYS_getpid);
    }
    // Whether the caller is a child that shares our memory.
    bool are_of_another_process() const { return process_ != 0 && process_ != base::call(SYS_getpid); }

  private:
    static constexpr long kStopped = 1, kOne = 2;
    static constexpr int kTries = 5000; // a second or so
    static constexpr long kPauseNs = 100'000;

    std::atomic<long> word_{0}; // so many times kOne, and kStopped
    long process_ = 0;          // 0: not noted, or forked since
};

inline constinit Placements placements;

} // namespace teff::distribute
