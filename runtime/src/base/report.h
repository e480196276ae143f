// SPDX-License-Identifier: Apache-2.0
// Messages of the runtime to its user, on standard error. Each message is one line that starts with
// "teff: ".
#pragma once

#include <cstdarg>
#include <cstddef>

namespace teff::base {

// Prints a message and ends the process, for a condition that can happen and after which the
// program cannot continue. If `errno_value` is not 0, its text is added to the message. The process
// ends by exit, which runs code of the program, so the caller must not hold a lock of the runtime.
// If several threads call this function, only the first one prints its message.
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void fatal(int errno_value, const char* format, ...);

// For callers that end the process with their own message. Returns only to the first thread of the
// process that calls this function or `fatal`; this thread then prints its message and calls exit.
// Other threads wait for the end of the process. If the first thread calls again, the process ends
// at once.
void become_ending_thread();

// Prints a warning, for a condition that can happen and after which the program continues. The
// message says what the runtime does instead.
[[gnu::cold, gnu::format(printf, 1, 2)]] void warn(const char* format, ...);

// The line that `warn` would write, for callers that write the line in their own way.
struct Line {
    char text[1024];
    std::size_t bytes;
};
[[gnu::cold, gnu::format(printf, 1, 0)]] Line warning_line(const char* format, std::va_list arguments);

// While an object of this class lives, warnings are kept instead of printed, each only once. Used
// by the library's constructor, as a process that loads the library and does not use OpenMP prints
// nothing, and by what makes a part of the constructor's work again before the process uses OpenMP.
class HeldWords {
  public:
    enum class Again {};

    HeldWords();
    explicit HeldWords(Again); // keeps more, until what was kept is printed
    ~HeldWords();
    HeldWords(const HeldWords&) = delete;
    HeldWords& operator=(const HeldWords&) = delete;

    // Keeps another text, which is printed together with the warnings, after the texts kept so far.
    // It takes the place of the text that was added before, if there is one. No bytes: takes that
    // text away.
    void add(const char* text, std::size_t bytes);
};

// Prints the kept warnings and texts. Among a process and its forked children, only the first that
// calls this function prints them. It prints only if standard error is still the same file and
// accepts the text at once (standard_error.h). Must not be called by several threads at the same
// time.
void say_held_words();

} // namespace teff::base
