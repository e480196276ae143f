// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of the error directive at run time. The directive prints the program's own
// message. Tests of such programs expect the text that libgomp prints around the message, so this
// file prints libgomp's text, not that of base/report.h.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/export.h"
#include "base/report.h"
#include "probe/ompt/other_events.h"
#include "probe/ompt/tool.h"
#include "team/worker.h"

using namespace teff;

namespace {

// Returns the length of the message. C passes a zero-terminated text and the largest size_t;
// Fortran passes a text and its length. A null pointer means that there is no message.
std::size_t length(const char* message, std::size_t bytes) {
    if (message == nullptr) return 0;
    return bytes == ~std::size_t{0} ? std::strlen(message) : bytes;
}

iovec piece(const char* text, std::size_t bytes) { return {.iov_base = const_cast<char*>(text), .iov_len = bytes}; }
iovec piece(const char* text) { return piece(text, std::strlen(text)); }

// Prints the message by one system call, however long the message is, so that lines of several
// threads do not mix.
void say(const char* severity, const char* message, std::size_t bytes) {
    const iovec line[] = {
        piece("\nlibgomp: "),
        piece(severity),
        piece("error directive encountered"),
        piece(message == nullptr ? "" : ": "),
        piece(message, length(message, bytes)),
        piece("\n"),
    };
    [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, line, sizeof line / sizeof *line);
}

// Reports the directive to the tool, if there is a tool. Makes the calling thread a worker first,
// because the tool must get a thread's begin before the thread's other events.
void tell_tool(ompt_severity_t severity, const char* message, std::size_t bytes, base::CallSite site) {
    if (!probe::ompt::attached()) return;
    team::current_worker();
    probe::ompt::error_directive(severity, message, static_cast<std::size_t>(length(message, bytes)), site);
}

} // namespace

TEFF_EXPORT void GOMP_warning(const char* message, std::size_t bytes) {
    tell_tool(ompt_warning, message, bytes, TEFF_SITE);
    say("", message, bytes);
}

TEFF_EXPORT void GOMP_error(const char* message, std::size_t bytes) {
    tell_tool(ompt_fatal, message, bytes, TEFF_SITE);
    base::become_ending_thread();
    say("fatal error: ", message, bytes);
    std::exit(EXIT_FAILURE); // a normal exit, so that output of the program is not lost
}
