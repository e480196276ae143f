// SPDX-License-Identifier: Apache-2.0
//
// What an asked thread does, after a signal or a tick of the kernel module: it decides whether it
// may leave its task at this moment, and leaves it or puts the request off. preempt.h has the
// rules.
//
//     asked ──unsafe──> owed ──release of the last hold (serve), or a retry──> asked again
//       └──safe──> taken ──may_switch──> away ──> back
//
// A request that is put off stays in the target's word, so that further requests join it. The retry
// timer fires after 20 µs, and its period doubles after every eight retries, up to 1 ms; when a
// request has been taken, the period is 20 µs again. A task that is mostly in the C library is
// found in its own code after some dozens of retries, and one that sleeps there costs little. After
// every eight retries the hooks are told (cannot_soon). For a thread with a slot of the kernel
// module, the module's ticks are the retries if the module can see why the thread cannot be left,
// else the timer is.
#pragma once

#include <algorithm>
#include <csignal>

#include "base/arch/x86_64.h"
#include "preempt/preempt.h"

namespace teff::preempt {

// The wait of a thread's retry timer before each of its retries.
inline constexpr std::uint32_t kLongestRetry_us = 1000, kAlike = 8;
constexpr std::uint32_t retry_us(std::uint32_t retries) {
    constexpr std::uint32_t kFirstRetry_us = 20, kMostDoublings = 6;
    return std::min(kFirstRetry_us << std::min(retries / kAlike, kMostDoublings), kLongestRetry_us);
}

// The signal's handler. The signal is blocked while it decides: signals that come faster than they
// are looked at would else fill the stack. Before it switches away, it unblocks it.
void on_signal(int signal, siginfo_t* info, void* context);

// Where the program was interrupted.
struct Interrupted {
    const void* instruction;
    const void* stack_pointer;
};

// A tick of the kernel module has entered the thread. The caller has saved the registers, and gives
// them back.
void on_tick(const Interrupted& at, const base::arch::FloatModes& modes);

// The thread is awake again and finds that it was asked.
void serve_after_sleep(Target& self, const void* caller);

// Leaves a request for later: the thread's own, which is asked. `ticks`: of the timer all the same
// where there is no slot.
enum class Retry : std::uint8_t { ticks, timer };
void put_off(Target& self, Retry retry);

// Below an interrupted stack pointer there has to be space for this: the frame of the next signal,
// and what runs in the handler.
std::size_t least_stack_room();

// What our signals bear, so that they can be told from the program's.
enum class Mark : std::uint8_t { request, retry, tick };
union sigval value_of(Mark mark);

} // namespace teff::preempt
