// SPDX-License-Identifier: Apache-2.0
// A flush: sends this process's changes and applies those of the other processes.
#pragma once

namespace teff::processes {

// Why, for the hub, which looks for runs in which nobody goes on.
enum class Why { asked, yield, beat };
void flush(Why why = Why::asked);
// Only where others might read or write meanwhile: in a region of several processes. Whether it
// was.
bool flush_if_shared(Why why);

} // namespace teff::processes
