// SPDX-License-Identifier: Apache-2.0
//
// Transport: moves bytes between the host and each device. This is all that the rest of the folder
// knows of sockets and of MPI.
//
// The host and a device have a line from the start, and may get a second one (ahead.h), over which
// only the host sends. Two devices have a line of their own as soon as they need it: the host makes
// it and gives each of the two its end, and each of them takes it. From then on they send and
// receive as the host and a device do, but without a limit of time: the host finds out that a
// device hangs. Each end of a line is a peer.
//
// Bytes arrive in order. `send` and `receive` move all bytes or return false, with errno set:
// ETIMEDOUT if not a single byte could be moved for the transport's patience, ESHUTDOWN if `end`
// has been called, anything else if the other side is gone. After that the peer is not used any
// more. One thread at a time sends to a peer, and one receives from it: on the host the one that
// holds the device's mutex, on a device the thread that serves, which shares the sending side to
// the host with the one that watches it. Each second line has a thread of its own on both sides.
#pragma once

#include <cstddef>
#include <sys/uio.h>

namespace teff::device {

// The other side, by the transport's own number: a descriptor for sockets, a rank for MPI.
using Peer = int;

constexpr unsigned kForEver_s = 0;

// Stands for the host where a line leads to a device.
constexpr unsigned kHostItself = ~0u;

// A piece of a message.
inline iovec part(const void* data, std::size_t bytes) { return {const_cast<void*>(data), bytes}; }

// A line between two devices that the host has made: what `give_line` gives to either.
struct LineEnds {
    int of_first, of_second; // the host has the first of a line of its own
};

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
    // Returns whether `end` is to be called by an exit handler that is registered after this call,
    // instead of after all other code of the program.
    bool (*begin)(const Job& job);
    bool (*send)(Peer, const iovec* parts, std::size_t count);
    bool (*receive)(Peer, void* to, std::size_t bytes);
    // On the host. `make_line` returns false, with errno set, if this machine has no place for a
    // line. `give_line` returns false, as `send`, if the device is gone; it gives the end away.
    bool (*make_line)(LineEnds&);
    bool (*give_line)(Peer device, int end);
    // On the host: returns its own end of a line to the device as a peer.
    Peer (*keep_line)(Peer device, int end);
    // On a device: takes the end of a line to the device with this number, or to kHostItself.
    // Returns false, with errno set, if the host is gone (0), or has sent something else (EPROTO).
    bool (*take_line)(Peer host, unsigned device, Peer& line);
    // Waits until the other side is gone, or until the time has passed. Returns whether it is gone.
    bool (*await_end)(Peer, unsigned milliseconds);
    // Called when the process ends by exit, and by default after all other code of the program; and
    // by another thread of a device that is busy when the host has ended. The second of two calls
    // leaves the first its time. Returns whether the others can see that all is well. `has_failed`:
    // a peer is gone, or hangs.
    bool (*end)(bool has_failed);
    // Called in a forked child, which has no devices, for each peer and each line.
    void (*forget)(Peer);
};

extern const Transport socket_transport;
// Over MPI: with the library of the launcher that has this name.
extern const Transport openmpi_transport, mpich_transport, any_mpi_transport;

// Returns null if there is none of this name.
const Transport* transport_named(const char* name, std::size_t length);

} // namespace teff::device
