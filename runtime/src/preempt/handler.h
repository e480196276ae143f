// SPDX-License-Identifier: Apache-2.0
//
// What a thread does when it has been asked to leave its task, by a signal or by a tick of the
// kernel module. The thread decides whether it may leave its task at this moment. It then leaves
// the task or puts the request off. preempt.h has the rules.
//
//     asked ──unsafe──> owed ──release of the last hold (serve), the return from a library
//       │                      (on_return), or a retry──> asked again
//       └──safe──> taken ──may_switch──> away ──> back
//
// A thread that is interrupted inside a library checks the request when it returns to the program
// (diversions.h), if the place of this return can be found. A thread that is interrupted inside a
// pure function may leave its task at once (libraries.h).
//
// A request that is put off stays in the target's word, so that further requests join it. The retry
// timer fires after 20 us. The period doubles after every eight retries, up to 1 ms, and is 20 us
// again when a request has been taken. So a task that is mostly in the C library is found in its
// own code after some dozens of retries, and a task that sleeps in the C library costs little. The
// hooks are called (cannot_soon) when the request is put off for the fourth time, and each time
// that it has been put off eight times more. If a thread has a slot of the kernel module, and the
// module can see why the thread cannot leave its task, the module's ticks are the retries.
// Otherwise the timer is used.
#pragma once

#include <algorithm>
#include <csignal>
#include <optional>

#include "base/arch/arch.h"
#include "preempt/preempt.h"

namespace teff::preempt {

// Returns the delay of a thread's retry timer, in microseconds, after that many retries.
inline constexpr std::uint32_t kLongestRetry_us = 1000, kAlike = 8;
constexpr std::uint32_t retry_us(std::uint32_t retries) {
    constexpr std::uint32_t kFirstRetry_us = 20, kMostDoublings = 6;
    return std::min(kFirstRetry_us << std::min(retries / kAlike, kMostDoublings), kLongestRetry_us);
}

// The signal's handler. The signal is blocked while the handler decides; otherwise signals that
// come faster than the handler works could fill the stack. The handler unblocks the signal before
// it switches away.
void on_signal(int signal, siginfo_t* info, void* context);

// The point at which the program was interrupted.
struct Interrupted {
    const void* instruction;
    const void* stack_pointer;
    // %rbp, by which the way out of a library is found; nothing if it is not known.
    std::optional<std::uintptr_t> frame_pointer = std::nullopt;
};

// Called when a tick of the kernel module has entered the thread. The caller has saved the
// registers and restores them.
void on_tick(const Interrupted& at, const base::arch::FloatModes& modes);

// Called when a diverted call returns to the program (diversions.h).
void on_return(const Interrupted& at, const base::arch::FloatModes& modes);

// Called by a thread that is awake again and finds a request.
void serve_after_sleep(Target& self, const void* caller);

// Calls Hooks::dropped.
void tell_dropped(Target& self, std::uint32_t priority);

// Leaves a request for later. Called by the asked thread itself. `ticks`: the module's ticks are
// the retries, or the timer if the thread has no slot.
enum class Retry : std::uint8_t { ticks, timer };
void put_off(Target& self, Retry retry);

// Returns the space in bytes that must be free below an interrupted stack pointer: for the frame of
// the next signal, and for what runs in the handler.
std::size_t least_stack_room();

// The values that Teff's signals carry, so that they can be told from the program's signals.
enum class Mark : std::uint8_t { request, retry, tick, watch };
union sigval value_of(Mark mark);

} // namespace teff::preempt
