// SPDX-License-Identifier: Apache-2.0
//
// Transport: sends bytes between each process and the hub. Each kind of transport is a table of
// functions; the rest of the library communicates between processes only through it.
//
// `open` is called once, by the process that will be the hub, before it forks. After that each side
// identifies itself. Bytes arrive in order. Either all bytes of a call arrive or none: `false`
// means that the other side is gone.
#pragma once

#include <csignal>
#include <cstddef>
#include <string_view>
#include <sys/uio.h>

namespace teff::processes {

struct Transport {
    const char* name;
    void (*open)(unsigned processes);
    void (*be_hub)();
    void (*be_process)(unsigned rank);

    // Called by the hub, to communicate with the process of that rank.
    bool (*hub_send)(unsigned rank, const iovec* parts, unsigned count);
    bool (*hub_receive)(unsigned rank, void* to, std::size_t bytes);
    // Waits until a process has sent something, and returns its rank. Returns -1 if the hub was
    // woken.
    int (*hub_wait)();
    void (*hub_wake)(); // by a signal's handler

    // Called by a process, to communicate with the hub.
    bool (*send)(const iovec* parts, unsigned count);
    bool (*receive)(void* to, std::size_t bytes);
    bool (*has_arrived)(); // whether a receive would find something
    // Waits until a receive would find something. Meanwhile signals arrive according to the mask.
    // Returns whether a signal may have arrived.
    bool (*await)(const sigset_t* mask);
};

extern const Transport socket_transport, ring_transport;

// The transport that this run uses.
const Transport& transport();
// Selects the transport by a name of icv::kTransports.
void choose_transport(std::string_view name);

} // namespace teff::processes
