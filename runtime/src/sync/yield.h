// SPDX-License-Identifier: Apache-2.0
//
// Yielding: how a thread that waits in a crowded process passes its processor on.
//
// Where more threads take part in regions than there are processors, whoever a waiter waits for is often ready on the waiter's own processor.
// sched_yield hands over to it for the price of a context switch (about 1 us); to sleep and be woken costs several times that, and where a
// processor went idle meanwhile, tens of microseconds.
//
// But a thread of another process that computes there keeps the processor for a time slice, some milliseconds, and a yield gives it one more each
// time. A yield that took that long is taken as the sign of such a stranger: from then on nobody in the process yields for a hundred
// times as long, so strangers cost one part in a hundred. A teammate that works that long stops the yields too, and little is lost: then
// a context switch more or less does not count.
//
// Any thread. One word for the process; all accesses are relaxed, since nothing but time depends on it.
#pragma once

namespace teff::sync {

// False while a stranger is known to be about.
[[nodiscard]] bool yielding_pays();

// Lets another thread run, if that pays just now. False: it does not, and nothing was done.
[[nodiscard]] bool try_yield();

} // namespace teff::sync
