// SPDX-License-Identifier: Apache-2.0
// What the runtime says to its user, on standard error, each as one line that starts with "teff: ".
#pragma once

#include <cstdarg>
#include <cstddef>

namespace teff::base {

// Something that can happen and after which the program cannot go on. `errno_value` of 0 adds
// nothing; another adds its text. Ends the process by exit, which runs code of the program: the
// caller holds no lock of the runtime. If several threads call it, the first is heard.
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void fatal(int errno_value, const char* format, ...);

// For whoever has words of his own for the end: returns for the first thread of the process that
// calls it, which then says them and exits.
void become_ending_thread();

// Something that can happen and is survived; says what was done instead.
[[gnu::cold, gnu::format(printf, 1, 2)]] void warn(const char* format, ...);

// The line that `warn` would write, for who has a way of its own to write it.
struct Line {
    char text[1024];
    std::size_t bytes;
};
[[gnu::cold, gnu::format(printf, 1, 0)]] Line warning_line(const char* format, std::va_list arguments);

// While one lives, warnings are kept. For the library's constructor alone: a process that is only
// loaded into says nothing.
class HeldWords {
  public:
    HeldWords();
    ~HeldWords();
    HeldWords(const HeldWords&) = delete;
    HeldWords& operator=(const HeldWords&) = delete;

    // Other words that are said with the warnings, after those that there are.
    void add(const char* text, std::size_t bytes);
};

// Writes what was kept, once: of a process and its forked children, the first that comes here. Only
// if standard error is the file that it was, and takes it at once (standard_error.h). By one
// thread.
void say_held_words();

} // namespace teff::base
