// SPDX-License-Identifier: Apache-2.0
// A flush: sends this process's changes and applies those of the other processes.
#pragma once

namespace teff::processes {

// The reason for a flush. The hub needs it to detect runs in which no process continues.
enum class Why { asked, yield, beat };
void flush(Why why = Why::asked);
// Flushes only if other processes might read or write meanwhile, that is, in a region of several
// processes. Returns whether it flushed.
bool flush_if_shared(Why why);

} // namespace teff::processes
