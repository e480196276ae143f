// SPDX-License-Identifier: Apache-2.0
//
// The beat: a signal makes a process that computes flush every few milliseconds, and whenever the
// hub asks for it. If a program waits for another thread in its own loop, without a call that
// flushes, this loop therefore ends after some milliseconds. Also, no process keeps a lease for
// ever. A program without data races is not affected if a flush sends changes early.
#pragma once

namespace teff::processes::beat {

// Called on the program's thread, which gets a stack for handlers. The handler is installed in all
// processes.
void begin();

// The beat runs while other processes may wait for this process, which is in a region.
void start();
void stop();

} // namespace teff::processes::beat
