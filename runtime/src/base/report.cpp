// SPDX-License-Identifier: Apache-2.0
#include "base/report.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "base/uncancelled.h"

namespace teff::base {

namespace {

Line make_line(const char* prefix, const char* format, std::va_list arguments, int errno_value) {
    Line line;
    constexpr std::size_t room = sizeof line.text - 1;
    line.bytes = 0;
    // So much would have been written if there had been room.
    const auto add = [&line](int wanted) {
        if (wanted > 0) line.bytes = std::min(line.bytes + static_cast<std::size_t>(wanted), room - 1);
    };
    add(std::snprintf(line.text, room, "teff: %s", prefix));
    add(std::vsnprintf(line.text + line.bytes, room - line.bytes, format, arguments));
    if (errno_value != 0)
        add(std::snprintf(line.text + line.bytes, room - line.bytes, ": %s", std::strerror(errno_value)));
    line.text[line.bytes++] = '\n';
    return line;
}

// One write per line: lines of several threads do not mix, and stdio may be in any state.
void write_text(const char* text, std::size_t bytes) {
    const Uncancelled whole;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, bytes);
}

// A warning that waits. They are kept in their order.
struct Held {
    Held* next;
    std::size_t bytes;
    char* text() { return reinterpret_cast<char*>(this + 1); }
};

constinit bool holding = false;
constinit Held* first_held = nullptr;
constinit Held** held_end = &first_held;

[[nodiscard]] bool try_hold(const Line& line) {
    auto* held = static_cast<Held*>(std::malloc(sizeof(Held) + line.bytes));
    if (held == nullptr) return false;
    *held = {nullptr, line.bytes};
    std::memcpy(held->text(), line.text, line.bytes);
    *held_end = held;
    held_end = &held->next;
    return true;
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
    write_held_warnings();
    std::va_list arguments;
    va_start(arguments, format);
    const Line line = make_line("fatal: ", format, arguments, errno_value);
    va_end(arguments);
    write_text(line.text, line.bytes);
    std::exit(EXIT_FAILURE); // in order: what the program has printed so far is not lost
}

Line warning_line(const char* format, std::va_list arguments) { return make_line("warning: ", format, arguments, 0); }

void warn(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const Line line = warning_line(format, arguments);
    va_end(arguments);
    if (!holding || !try_hold(line)) write_text(line.text, line.bytes);
}

HeldWarnings::HeldWarnings() { holding = true; }
HeldWarnings::~HeldWarnings() { holding = false; }

void write_held_warnings() {
    for (Held* held = std::exchange(first_held, nullptr); held != nullptr;) {
        write_text(held->text(), held->bytes);
        std::free(std::exchange(held, held->next));
    }
    held_end = &first_held;
}

} // namespace teff::base
