// SPDX-License-Identifier: Apache-2.0
#include "base/standard_error.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

#include "base/system_call.h"

namespace teff::base {

namespace {

constexpr std::size_t kPiece = 4096; // a pipe that is ready accepts at least this much

Identity noted; // Identity{} if descriptor 2 was closed

// The kernel changes the time, so it must not be constant.
bool is_selected_at_once() {
    fd_set descriptors;
    FD_ZERO(&descriptors);
    FD_SET(STDERR_FILENO, &descriptors);
    timespec at_once{};
    return call(SYS_pselect6, STDERR_FILENO + 1, nullptr, &descriptors, nullptr, &at_once, nullptr) == 1;
}

// A process that may open no file (RLIMIT_NOFILE of 0) may not poll a descriptor either.
bool takes_a_piece_at_once() {
    pollfd descriptor{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    const timespec at_once{};
    const long ready = call(SYS_ppoll, &descriptor, 1, &at_once, nullptr, sizeof(std::uint64_t));
    return ready == -EINVAL ? is_selected_at_once() : ready == 1 && descriptor.revents == POLLOUT;
}

} // namespace

Identity standard_error() {
    struct stat status;
    return call(SYS_fstat, STDERR_FILENO, &status) == 0 ? identity_of(status) : Identity{};
}

void note_standard_error(Identity identity) { noted = identity; }

bool standard_error_listens() {
    const Identity now = standard_error();
    return now != Identity{} && now == noted && takes_a_piece_at_once();
}

long write_at_once(const char* text, std::size_t bytes) {
    while (bytes != 0 && standard_error_listens()) {
        const long written = call(SYS_write, STDERR_FILENO, text, std::min(bytes, kPiece));
        if (written <= 0) return written;
        text += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return 0;
}

} // namespace teff::base
