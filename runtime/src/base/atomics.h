// SPDX-License-Identifier: Apache-2.0
//
// The atomics policy of the lock-free protocols. A protocol (deque, parker, split counter,
// sleepers) is a template over such a policy. The policy is RealAtomics in the runtime, and the
// explorer's policy (runtime/explore) in tests that try all interleavings.
//
// light_fence and heavy_fence are an asymmetric pair. Together they forbid the same outcomes as two
// full fences (store, fence, load on either side). The light side is on a hot path and costs
// nothing: it only prevents reordering by the compiler. The heavy side makes the kernel run a full
// fence on every processor that runs a thread of this process (membarrier(2)). If the kernel has no
// membarrier, both sides are full fences. If a call of membarrier ever fails on a kernel that has
// it, both sides become full fences from that call on. This can happen because a program can forbid
// itself system calls at any time (seccomp), or because the kernel has no memory for the call. See
// lose_membarrier.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/arch/arch.h"
#include "base/cache_line.h"
#include "base/futex.h"

namespace teff::base {

namespace detail {
extern std::atomic<bool> light_fences_cost_nothing;
extern std::atomic<bool> heavy_fences_reach_all;
void membarrier_everywhere();
} // namespace detail

// Chooses between the two kinds of fences. Called once, by the library's constructor, and by a
// forked child.
void initialise_fences();

struct RealAtomics {
    template <class T> using atomic = std::atomic<T>;

    static void cpu_relax() { arch::cpu_relax(); }

    static void fence_seq_cst() { full_fence(); }

    static void light_fence() {
        if (TEFF_LIKELY(detail::light_fences_cost_nothing.load(std::memory_order_relaxed)))
            std::atomic_signal_fence(std::memory_order_seq_cst);
        else full_fence();
    }

    static void heavy_fence() {
        if (TEFF_LIKELY(detail::heavy_fences_reach_all.load(std::memory_order_relaxed)))
            detail::membarrier_everywhere();
        else full_fence();
    }

    static void wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) { futex_wait(word, expected); }
    static void wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) {
        futex_wait_for(word, expected, ns);
    }
    static void wake(std::atomic<std::uint32_t>& word, int threads) { futex_wake(word, threads); }

  private:
    static void full_fence() {
#if defined(__SANITIZE_THREAD__)
        static std::atomic<int> fence{
            0}; // ThreadSanitizer does not know fences; a read-modify-write acts as a fence on this processor
        fence.fetch_add(1, std::memory_order_seq_cst);
#else
        std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    }
};

} // namespace teff::base
