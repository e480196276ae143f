// SPDX-License-Identifier: Apache-2.0
//
// The beat: now and then, and when the hub asks for it, a process that computes flushes in between,
// by a signal. So a program that waits for another thread in a loop of its own, without a call that
// would flush, waits for some milliseconds and not for ever; and no process keeps what is leased.
// What a flush hands over early does no harm to a program that is free of data races.
#pragma once

namespace teff::processes::beat {

// On the program's thread, which gets a stack for handlers. The handler is installed in all
// processes.
void begin();

// It beats while there are others to wait for this process: in a region.
void start();
void stop();

} // namespace teff::processes::beat
