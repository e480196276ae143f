// SPDX-License-Identifier: Apache-2.0
//
// Transport: moves bytes between the host and each device. This is all that the rest of the folder
// knows of sockets, and what a transport over MPI's two-sided messages will have to provide.
//
// Bytes arrive in order. Both functions move all bytes or return false, which means that the other
// side is gone; after that the peer is not used any more. One thread at a time uses a peer: on the
// host the one that holds the device's mutex, on a device the thread that serves. `await_end` may
// be called by another thread.
#pragma once

#include <cstddef>
#include <sys/uio.h>

namespace teff::device {

// The other side, by the transport's own number: a descriptor for sockets.
using Peer = int;

struct Transport {
    const char* name;
    bool (*send)(Peer, const iovec* parts, std::size_t count);
    bool (*receive)(Peer, void* to, std::size_t bytes);
    // Returns when the other side is gone.
    void (*await_end)(Peer);
    // Called in a forked child, which has no devices.
    void (*forget)(Peer);
};

extern const Transport socket_transport;

} // namespace teff::device
