// SPDX-License-Identifier: Apache-2.0
#include "base/report.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "base/standard_error.h"
#include "base/uncancelled.h"

namespace teff::base {

namespace {

Line make_line(const char* prefix, const char* format, std::va_list arguments, int errno_value) {
    Line line;
    constexpr std::size_t room = sizeof line.text - 1;
    line.bytes = 0;
    // `wanted` is what snprintf returns: the length that the text would have without truncation.
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

// Writes a line by one system call, so that lines of several threads do not mix. Does not use
// stdio, which may be in any state.
void write_text(const char* text, std::size_t bytes) {
    const Uncancelled whole;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, bytes);
}

// A text that is kept. The kept texts form a list, in the order in which they were added.
struct Held {
    Held* next;
    std::size_t bytes;
    char* text() { return reinterpret_cast<char*>(this + 1); }
};

constinit bool holding = false;
constinit Held* first_held = nullptr;
constinit Held** held_end = &first_held;
constinit Held* added = nullptr; // the one of them that is no warning; null: none

// True if the process, or one of its forked children, has printed the kept texts. The variable is
// in memory shared with forked children. The pointer is null if no text is kept, or if there is no
// such memory; in the second case each process prints the texts.
constinit std::atomic<bool>* said = nullptr;

void share_whether_said() {
    void* const memory = mmap(nullptr, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) said = ::new (memory) std::atomic<bool>{false};
}

bool first_to_say() { return said == nullptr || !said->exchange(true, std::memory_order_relaxed); }

bool is_held(const char* text, std::size_t bytes) {
    for (Held* held = first_held; held != nullptr; held = held->next)
        if (held->bytes == bytes && std::memcmp(held->text(), text, bytes) == 0) return true;
    return false;
}

[[nodiscard]] bool try_hold(const char* text, std::size_t bytes) {
    if (is_held(text, bytes)) return true;
    auto* held = static_cast<Held*>(std::malloc(sizeof(Held) + bytes));
    if (held == nullptr) return false;
    *held = {nullptr, bytes};
    std::memcpy(held->text(), text, bytes);
    *held_end = held;
    held_end = &held->next;
    return true;
}

// The thread that ends the process, as its thread id and its process id. In a forked child the
// process id differs, so the child does not mistake a thread of its parent for its own.
std::atomic<std::uint64_t> ending_thread{0};

std::uint64_t this_thread() {
    return static_cast<std::uint64_t>(getpid()) << 32 | static_cast<std::uint32_t>(gettid());
}

} // namespace

// The other threads wait for the end of the process: exit may be called only once, and one message
// is enough. If the first thread calls again, from a function that exit runs, the process cannot
// end normally and ends at once.
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
    say_held_words();
    std::va_list arguments;
    va_start(arguments, format);
    const Line line = make_line("fatal: ", format, arguments, errno_value);
    va_end(arguments);
    write_text(line.text, line.bytes);
    std::exit(EXIT_FAILURE); // a normal exit, so that output of the program is not lost
}

Line warning_line(const char* format, std::va_list arguments) { return make_line("warning: ", format, arguments, 0); }

void warn(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const Line line = warning_line(format, arguments);
    va_end(arguments);
    // The program continues, so its file must not get the line, and the program must not wait for a
    // reader.
    if (!holding || !try_hold(line.text, line.bytes)) (void)write_at_once(line.text, line.bytes);
}

HeldWords::HeldWords() {
    note_standard_error();
    said = nullptr;
    holding = true;
}

HeldWords::HeldWords(Again) { holding = true; }

HeldWords::~HeldWords() {
    holding = false;
    if (first_held != nullptr && said == nullptr) share_whether_said();
}

void HeldWords::add(const char* text, std::size_t bytes) {
    if (added != nullptr) added->bytes = 0;
    Held** const place = held_end;
    added = bytes != 0 && try_hold(text, bytes) ? *place : nullptr;
}

void say_held_words() {
    const bool wanted = first_held != nullptr && standard_error_listens() && first_to_say();
    for (Held* held = std::exchange(first_held, nullptr); held != nullptr;) {
        if (wanted) (void)write_at_once(held->text(), held->bytes);
        std::free(std::exchange(held, held->next));
    }
    held_end = &first_held;
    added = nullptr;
}

} // namespace teff::base
