// SPDX-License-Identifier: Apache-2.0
//
// Guest: how the recorder works on a thread of the program without the program noticing.
//
// While a Guest lives, the thread's errno is kept and its signals are blocked: no handler of the
// program interrupts the recorder, and no cancellation ends it under a lock. Signals that arrive
// wait for the Guest's end. Nothing else of the thread changes, and nothing of the process: what
// the recorder does with files, it does elsewhere (apart.h).
#pragma once

#include <cstdint>

#include "base/cache_line.h"

namespace teff::probe::trace {

class Guest {
  public:
    TEFF_COLD Guest();
    TEFF_COLD ~Guest();
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

    // False: signals could not be blocked, or the program has set up a filter for system calls
    // (seccomp) since note_surroundings, which may end the process at a call that it does not know.
    // Then the recorder does without whatever takes one.
    [[nodiscard]] bool may_call() const { return may_call_; }

  private:
    std::uint64_t mask_ = 0; // the thread's own
    int errno_;
    bool blocks_signals_;
    bool may_call_;
};

// The same question without a Guest, by one system call: for who makes a call or two that a handler
// may interrupt.
[[nodiscard]] TEFF_COLD bool may_call_now();

// Notes what the process is allowed. By the library's constructor.
void note_surroundings();

// A line for the user, on standard error: only if that is still the file that it was, and takes it
// at once (base/standard_error.h). It raises no signal.
[[gnu::cold, gnu::format(printf, 2, 3)]] void say(const Guest& guest, const char* format, ...);

// The system's words for an errno value, in no language but English: others would be read from
// files.
const char* words_for(int error);

} // namespace teff::probe::trace
