// SPDX-License-Identifier: Apache-2.0
//
// A pair of connected sockets for each process. The process's socket may also be open in children
// that the program forks, so the system may not notify the hub when the process has ended. While
// the hub waits for the rest of a message, it therefore checks from time to time whether the
// process still lives.
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/whole_transfers.h"
#include "processes/descriptors.h"
#include "processes/hub.h"
#include "processes/layout.h"
#include "processes/report.h"
#include "processes/transport.h"

namespace teff::processes {

namespace {

struct Pair {
    int hub, process;
};
Pair pairs[kMostProcesses];
pollfd polled[kMostProcesses + 1]; // the last of those in use is the event that signals make
unsigned count = 0;
int own = -1;

// Whether to try again after a call that has failed. A process has no time limit: it ends with the
// hub.
using Lives = bool (*)(unsigned rank);
bool hub_is_there(unsigned) { return true; }
bool goes_on(Lives lives, unsigned rank) { return (errno == EINTR || errno == EAGAIN) && lives(rank); }

bool send_all(int socket, const iovec* parts, unsigned part_count, Lives lives, unsigned rank) {
    return base::send_whole(socket, parts, part_count, [=] { return goes_on(lives, rank); });
}

bool receive_all(int socket, void* to, std::size_t bytes, Lives lives, unsigned rank) {
    return base::receive_whole(socket, to, bytes, [=] { return goes_on(lives, rank); });
}

void open_pairs(unsigned processes) {
    count = processes;
    for (unsigned i = 0; i < processes; ++i) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_errno("cannot make sockets");
        pairs[i] = {descriptors::keep(ends[0]), descriptors::keep(ends[1])};
        polled[i] = {pairs[i].hub, POLLIN, 0};
    }
}

void wake_hub() {
    const std::uint64_t one = 1;
    (void)!write(polled[count].fd, &one, sizeof one);
}

void close_once(int& socket) {
    if (socket >= 0) descriptors::close_kept(socket);
    socket = -1;
}

void be_hub() {
    for (unsigned i = 0; i < count; ++i)
        close_once(pairs[i].process);
    const timeval limit = {0, 100'000};
    for (unsigned i = 0; i < count; ++i) {
        setsockopt(pairs[i].hub, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(pairs[i].hub, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    polled[count] = {eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), POLLIN, 0};
}

// Called in the first process when it has started the others.
void be_process(unsigned rank) {
    own = pairs[rank].process;
    for (unsigned i = 0; i < count; ++i) {
        close_once(pairs[i].hub);
        if (i != rank) close_once(pairs[i].process);
    }
}

bool is_hung_up(int socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// The search begins after the process that was found last, so it is fair.
int wait_any() {
    static unsigned next = 0;
    if (poll(polled, count + 1, -1) < 0) return -1;
    if (polled[count].revents != 0) {
        std::uint64_t events;
        (void)!read(polled[count].fd, &events, sizeof events);
        return -1;
    }
    for (unsigned i = 0; i < count; ++i) {
        const unsigned rank = (next + i) % count;
        if (polled[rank].revents == 0) continue;
        next = rank + 1;
        if ((polled[rank].revents & POLLHUP) == 0 || !is_hung_up(polled[rank].fd)) return static_cast<int>(rank);
        polled[rank].fd = -1; // its death is told by a signal
    }
    return -1;
}

bool has_arrived() {
    char byte;
    return recv(own, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

bool await(const sigset_t* mask) {
    bool interrupted = false;
    pollfd one = {own, POLLIN, 0};
    while (ppoll(&one, 1, nullptr, mask) < 0 && errno == EINTR)
        interrupted = true;
    return interrupted;
}

} // namespace

const Transport socket_transport = {
    .name = "sockets",
    .open = open_pairs,
    .be_hub = be_hub,
    .be_process = be_process,
    .hub_send = [](unsigned rank, const iovec* parts,
                   unsigned n) { return send_all(pairs[rank].hub, parts, n, hub::lives, rank); },
    .hub_receive = [](unsigned rank, void* to,
                      std::size_t bytes) { return receive_all(pairs[rank].hub, to, bytes, hub::lives, rank); },
    .hub_wait = wait_any,
    .hub_wake = wake_hub,
    .send = [](const iovec* parts, unsigned n) { return send_all(own, parts, n, hub_is_there, 0); },
    .receive = [](void* to, std::size_t bytes) { return receive_all(own, to, bytes, hub_is_there, 0); },
    .has_arrived = has_arrived,
    .await = await,
};

} // namespace teff::processes
