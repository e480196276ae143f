// SPDX-License-Identifier: Apache-2.0
//
// The signal that the kernel sends to a thread with each of its samples, if stacks are asked for
// (decision 0044).
//
// The signal is SIGURG, or SIGWINCH if preemption uses SIGURG. Without a handler the kernel ignores
// either of them. So a signal that is still pending when the program starts another program, or
// that comes after the program has taken our handler away, does no harm. A real-time signal would
// end the program in both cases. It is sent while the thread runs its own code, never while it is
// in a system call: the event excludes the kernel's code. So no system call is interrupted, unless
// the thread had blocked the signal, or enters the call in the instant between the two.
//
// The handler runs with all signals blocked, on the alternate stack if the program has given the
// thread one. It needs less than a kilobyte beside the signal's frame, whose size depends on the
// processor's registers: more than 3 KiB with AVX-512. If the alternate stack is too small, the
// kernel would end the program. So no signals are sent to such a thread.
//
// The handler finds the thread's stream in base::this_threads_wakes, as a variable of its own would
// take static thread-local storage from libraries that are loaded later, and touches the stream's
// SampleStacks only. A signal that another sender has sent has no effect, as if there were no
// handler: the program has none, or ours is not set.
//
//     prepare     the library's constructor's thread, before there are streams
//     send_with   apart (apart.h), for the file of a thread's event
#pragma once

#include <cstdint>

namespace teff::probe::trace::sample_signal {

// Sets the handler. Returns false if the program has a handler for the signal already, or if the
// system refuses. Only the first call sets it; later calls return the same.
bool prepare();
// Whether our handler is still there, and can run on the calling thread. The program may have set
// another handler, or an alternate stack that is too small.
bool can_come();
// Lets the kernel send the signal to `thread` with each sample of the event `file`.
void send_with(long file, std::uint32_t thread);

} // namespace teff::probe::trace::sample_signal
