// SPDX-License-Identifier: Apache-2.0
//
// The beat: a signal makes a process that computes flush every few milliseconds, and whenever the
// hub asks for it. So a program that waits for another thread in a loop of its own, without a call
// that flushes, waits for some milliseconds and not for ever, and no process keeps a lease. A
// program without data races is not affected if a flush sends changes early.
#pragma once

namespace teff::processes::beat {

// On the program's thread, which gets a stack for handlers. The handler is installed in all
// processes.
void begin();

// It beats while there are others to wait for this process: in a region.
void start();
void stop();

} // namespace teff::processes::beat
