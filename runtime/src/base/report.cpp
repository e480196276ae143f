// SPDX-License-Identifier: Apache-2.0
#include "base/report.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace teff::base {

namespace {

Line make_line(const char* prefix, const char* format, std::va_list arguments, int errno_value) {
    Line line;
    const std::size_t room = sizeof line.text - 1;
    auto used = static_cast<std::size_t>(std::snprintf(line.text, room, "teff: %s", prefix));
    const int wanted = std::vsnprintf(line.text + used, room - used, format, arguments);
    if (wanted > 0) used += static_cast<std::size_t>(wanted);
    if (used > room - 1) used = room - 1;
    if (errno_value != 0) {
        const int more = std::snprintf(line.text + used, room - used, ": %s", std::strerror(errno_value));
        if (more > 0) used += static_cast<std::size_t>(more);
        if (used > room - 1) used = room - 1;
    }
    line.text[used++] = '\n';
    line.bytes = used;
    return line;
}

// One write per line: lines of several threads do not mix, and stdio may be in any state.
void write_line(const Line& line) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.text, line.bytes);
}

// The thread that ends the process: its own id and its process's, which a forked child does not share.
std::atomic<std::uint64_t> ending_thread{0};

std::uint64_t this_thread() {
    return static_cast<std::uint64_t>(getpid()) << 32 | static_cast<std::uint32_t>(gettid());
}

} // namespace

// The others wait for the end: exit may be called once, and one line is enough.
// The first again, from what it runs at exit, has nothing left that could work.
void become_ending_thread() {
    const std::uint64_t self = this_thread();
    std::uint64_t found = ending_thread.load(std::memory_order_relaxed);
    do {
        if (found == self) _exit(EXIT_FAILURE);
        while (found >> 32 == self >> 32)
            pause();
    } while (!ending_thread.compare_exchange_strong(found, self, std::memory_order_relaxed));
}

void fatal(int errno_value, const char* format, ...) {
    become_ending_thread();
    std::va_list arguments;
    va_start(arguments, format);
    write_line(make_line("fatal: ", format, arguments, errno_value));
    va_end(arguments);
    std::exit(EXIT_FAILURE); // in order: what the program has printed so far is not lost
}

Line warning_line(const char* format, std::va_list arguments) { return make_line("warning: ", format, arguments, 0); }

void warn(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    write_line(warning_line(format, arguments));
    va_end(arguments);
}

} // namespace teff::base
