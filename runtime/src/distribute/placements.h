// SPDX-License-Identifier: Apache-2.0
//
// Placements: counts the placements in progress, and says whether another placement may begin. A
// placement is the period in which a thread asks the kernel to place an allocation.
//
// A thread that is about to restrict the process's system calls first stops new placements, and
// then waits until the placements that have begun have ended: a filter for all threads
// (SECCOMP_FILTER_FLAG_TSYNC) could end the placing threads at their next system call. The wait is
// limited in time, because a placement may be unable to end: a signal handler may have interrupted
// the placement and wait for something that the waiting thread holds.
//
// The object fills its own pages, which the kernel clears in a forked child: the threads that were
// placing memory do not exist there. note_process notes the process's number. A forked child finds
// that no number is noted. A child that shares our memory (vfork) finds a noted number that is not
// its own. If the kernel cannot clear the pages (Linux before 4.14), no number is noted.
//
// All functions but note_process may be called by any thread, without a lock, also in a signal
// handler.
//
// [distribute-2] The count and the stop flag are one word. A placement that begins after the stop
//                sees the flag in the word; a placement that begins before the stop is counted in
//                the word. `end` is a release and the loads of the wait are acquires, so all system
//                calls of a placement that has ended come before the end of the wait.
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
    // Begins a placement. Returns false if placements are stopped: nothing has begun, and the
    // caller must not call `end`.
    [[nodiscard]] bool begin() {
        if ((word_.fetch_add(kOne, std::memory_order_acquire) & kStopped) == 0) return true; // [distribute-2]
        end();
        return false;
    }
    void end() { word_.fetch_sub(kOne, std::memory_order_release); } // [distribute-2]

    long count() const { return word_.load(std::memory_order_acquire) / kOne; } // [distribute-2]

    // Stops placements: from now on none begins. Returns when all placements have ended except
    // `own`, the number of those of the calling thread; or after about a second.
    void stop(long own) {
        word_.fetch_or(kStopped, std::memory_order_acq_rel); // [distribute-2]
        for (int tries = 0; count() > own && tries < kTries; ++tries) {
            const timespec pause = {0, kPauseNs};
            (void)base::call(SYS_nanosleep, &pause, nullptr);
        }
    }

    // Notes the process's number. Called by the first thread, before the first placement.
    void note_process() {
        if (base::call(SYS_madvise, this, sizeof *this, MADV_WIPEONFORK) == 0) process_ = base::call(SYS_getpid);
    }
    // Returns true if the caller is a child that shares our memory.
    bool are_of_another_process() const { return process_ != 0 && process_ != base::call(SYS_getpid); }

  private:
    static constexpr long kStopped = 1, kOne = 2;
    static constexpr int kTries = 5000; // with the pauses, about a second
    static constexpr long kPauseNs = 100'000;

    std::atomic<long> word_{0}; // kOne for each placement in progress, plus kStopped if they are stopped
    long process_ = 0;          // the noted process number; 0: none is noted, or this is a forked child
};

inline constinit Placements placements;

} // namespace teff::distribute
