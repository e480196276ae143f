// SPDX-License-Identifier: Apache-2.0
//
// Transport: moves bytes between the host and each device. This is all that the rest of the folder
// knows of sockets and of MPI.
//
// Bytes arrive in order. `send` and `receive` move all bytes or return false, with errno set:
// ETIMEDOUT if not a single byte could be moved for the transport's patience, anything else if the
// other side is gone. After that the peer is not used any more. One thread at a time sends to a
// peer, and one receives from it: on the host the one that holds the device's mutex, on a device
// the thread that serves, which shares the sending side with the one that watches the host.
#pragma once

#include <cstddef>
#include <sys/uio.h>

namespace teff::device {

// The other side, by the transport's own number: a descriptor for sockets, a rank for MPI.
using Peer = int;

constexpr unsigned kForEver_s = 0;

// What a transport is told of the run.
struct Job {
    const Peer* peers = nullptr;
    unsigned peer_count = 0;
    unsigned rank = 0, size = 0; // of this process, and of all: the host is rank 0
    unsigned patience_s = kForEver_s;
};

struct Transport {
    // The name by which `teff run` chooses it.
    const char* name;
    // Whether this process can use it; called by the library's constructor. Otherwise the process
    // has no devices, and is none.
    bool (*is_usable)(const Job&);
    // Called once, before all that follows. May wait for the other processes. `job` stays valid.
    void (*begin)(const Job& job);
    bool (*send)(Peer, const iovec* parts, std::size_t count);
    bool (*receive)(Peer, void* to, std::size_t bytes);
    // Waits until the other side is gone, or until the time has passed. Returns whether it is gone.
    bool (*await_end)(Peer, unsigned milliseconds);
    // Called when the process ends by exit, after all other code of the program. `has_failed`: a
    // peer is gone, or hangs.
    void (*end)(bool has_failed);
    // Called in a forked child, which has no devices.
    void (*forget)(Peer);
};

extern const Transport socket_transport;
// Over MPI: with the library of the launcher that has this name.
extern const Transport openmpi_transport, mpich_transport, any_mpi_transport;

// Returns null if there is none of this name.
const Transport* transport_named(const char* name, std::size_t length);

} // namespace teff::device
