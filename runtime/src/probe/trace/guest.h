// SPDX-License-Identifier: Apache-2.0
//
// Guest: lets the recorder work on a thread of the program without the program noticing.
//
// While a Guest lives, the thread's signals are blocked. So no signal handler of the program
// interrupts the recorder, and no cancellation ends the thread while the recorder holds a lock. At
// its end, the Guest restores the thread's errno and signal mask, and pending signals are
// delivered. Nothing else of the thread or of the process changes: the recorder works with files on
// another thread (apart.h).
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

    // Returns false if the recorder must not make system calls: signals could not be blocked, or
    // the program has set up a filter for system calls (seccomp) since note_surroundings. Such a
    // filter may end the process at a system call that it does not know.
    [[nodiscard]] bool may_call() const { return may_call_; }

  private:
    std::uint64_t mask_ = 0; // the thread's own
    int errno_;
    bool blocks_signals_;
    bool may_call_;
};

// Returns false if the program has set up a filter for system calls since note_surroundings. Makes
// one system call, and needs no Guest: for callers that make one or two system calls which a signal
// handler may interrupt.
[[nodiscard]] TEFF_COLD bool may_call_now();

// Notes the present filter for system calls. Called by the library's constructor.
void note_surroundings();
// Returns true if there was a filter then, or if the kernel did not tell.
bool was_filtered_at_start();

// Writes a line for the user to standard error. Writes nothing if standard error is no longer the
// same file, or if the file does not take the line at once (base/standard_error.h). Raises no
// signal.
[[gnu::cold, gnu::format(printf, 2, 3)]] void say(const Guest& guest, const char* format, ...);

// Returns the C library's text for an errno value, always in English: texts in other languages
// would be read from files.
const char* words_for(int error);

} // namespace teff::probe::trace
