// SPDX-License-Identifier: Apache-2.0
//
// A pair of connected sockets for each device, which `teff run --devices` makes before it starts
// the processes.
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/report.h"
#include "base/whole_transfers.h"
#include "device/transport.h"

namespace teff::device {

namespace {

// Programs that this process starts do not inherit the sockets.
bool is_usable(const Job& job) {
    bool are_ours = true;
    for (unsigned i = 0; i < job.peer_count; ++i)
        are_ours = fcntl(job.peers[i], F_SETFD, FD_CLOEXEC) == 0 && are_ours;
    if (!are_ours) base::warn("this process has no devices: it was started without their connections");
    return are_ours;
}

void begin(const Job& job) {
    const timeval patience = {static_cast<time_t>(job.patience_s), 0};
    for (unsigned i = 0; i < job.peer_count; ++i)
        for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
            setsockopt(job.peers[i], SOL_SOCKET, direction, &patience, sizeof patience); // 0: for ever
}

// EAGAIN says that the patience is over.
bool was_interrupted() {
    if (errno == EAGAIN) errno = ETIMEDOUT;
    return errno == EINTR;
}

bool send(Peer peer, const iovec* parts, std::size_t count) {
    return base::send_whole(peer, parts, count, was_interrupted);
}

bool receive(Peer peer, void* to, std::size_t bytes) {
    errno = 0;
    return base::receive_whole(peer, to, bytes, was_interrupted);
}

bool await_end(Peer peer, unsigned milliseconds) {
    pollfd one = {peer, POLLRDHUP, 0};
    return poll(&one, 1, static_cast<int>(milliseconds)) > 0;
}

void end(bool) {} // the system closes the sockets

void forget(Peer peer) { close(peer); }

} // namespace

const Transport socket_transport = {"sockets", is_usable, begin, send, receive, await_end, end, forget};

} // namespace teff::device
