// SPDX-License-Identifier: Apache-2.0
#include "processes/report.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace teff::processes {

namespace {

void write_line(const char* format, std::va_list arguments, const char* reason) {
    char line[1024] = "teff: ";
    std::size_t length = 6;
    const int added = std::vsnprintf(line + length, sizeof line - length - 2, format, arguments);
    if (added > 0) length += static_cast<std::size_t>(added);
    if (length > sizeof line - 2) length = sizeof line - 2;
    if (reason != nullptr) {
        const int more = std::snprintf(line + length, sizeof line - length - 1, ": %s", reason);
        if (more > 0) length += static_cast<std::size_t>(more);
        if (length > sizeof line - 2) length = sizeof line - 2;
    }
    line[length++] = '\n';
    (void)!write(STDERR_FILENO, line, length);
}

} // namespace

void say(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments, nullptr);
    va_end(arguments);
}

// The hub sees that this process ends with the status, and ends the others.
void fail(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments, nullptr);
    va_end(arguments);
    _exit(kFailedStatus);
}

void fail_errno(const char* format, ...) {
    const char* const reason = std::strerror(errno);
    std::va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments, reason);
    va_end(arguments);
    _exit(kFailedStatus);
}

} // namespace teff::processes
