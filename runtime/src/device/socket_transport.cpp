// SPDX-License-Identifier: Apache-2.0
//
// A pair of connected sockets for each device, which `teff run --devices` makes before it starts
// the processes.
#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include "base/uncancelled.h"
#include "base/whole_transfers.h"
#include "device/transport.h"

namespace teff::device {

namespace {

bool was_interrupted() { return errno == EINTR || errno == EAGAIN; }

bool send(Peer peer, const iovec* parts, std::size_t count) {
    return base::send_whole(peer, parts, count, was_interrupted);
}

bool receive(Peer peer, void* to, std::size_t bytes) { return base::receive_whole(peer, to, bytes, was_interrupted); }

void await_end(Peer peer) {
    pollfd one = {peer, POLLRDHUP, 0};
    while (poll(&one, 1, -1) < 0 && was_interrupted()) {
    }
}

void forget(Peer peer) { close(peer); }

} // namespace

const Transport socket_transport = {"sockets", send, receive, await_end, forget};

} // namespace teff::device
