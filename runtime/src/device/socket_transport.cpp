// SPDX-License-Identifier: Apache-2.0
//
// A pair of connected sockets for each device, which `teff run --devices` makes before it starts
// the processes. A line between two devices is another pair, which the host makes and sends to them
// (SCM_RIGHTS), each end with one byte.
#include <cerrno>
#include <cstring>
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

unsigned patience_ms = 0; // set by begin; 0: for ever
// A call that sends may wait once behind the bytes that it could send, which it does not say. So it
// waits for a part of the time, and the rest is waited for when the next one could send nothing.
constexpr unsigned kPartToSend = 4;

void set_limit(Peer peer, int direction, unsigned limit_ms) {
    const timeval limit = {static_cast<time_t>(limit_ms / 1000), static_cast<suseconds_t>(limit_ms % 1000 * 1000)};
    setsockopt(peer, SOL_SOCKET, direction, &limit, sizeof limit);
}
void set_patience(Peer peer) {
    set_limit(peer, SO_RCVTIMEO, patience_ms);
    set_limit(peer, SO_SNDTIMEO, patience_ms / kPartToSend);
}

bool begin(const Job& job) {
    patience_ms = job.patience_s * 1000;
    for (unsigned i = 0; i < job.peer_count; ++i)
        set_patience(job.peers[i]);
    return false;
}

// EAGAIN says that the patience is over.
bool was_interrupted() {
    if (errno == EAGAIN) errno = ETIMEDOUT;
    return errno == EINTR;
}

// Whether to send again after a call that has failed.
bool may_send_again(Peer peer) {
    if (errno != EAGAIN) return errno == EINTR;
    pollfd one = {peer, POLLOUT, 0};
    const int ready = poll(&one, 1, static_cast<int>(patience_ms - patience_ms / kPartToSend));
    if (ready == 0) errno = ETIMEDOUT;
    return ready > 0 || (ready < 0 && errno == EINTR);
}

bool send(Peer peer, const iovec* parts, std::size_t count) {
    return base::send_whole(peer, parts, count, [=] { return may_send_again(peer); });
}

bool receive(Peer peer, void* to, std::size_t bytes) {
    errno = 0;
    return base::receive_whole(peer, to, bytes, was_interrupted);
}

bool make_line(LineEnds& ends) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
    ends = {pair[0], pair[1]};
    return true;
}

// A byte, and a descriptor beside it.
struct Gift {
    char byte = kByte;
    iovec part = {&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {nullptr, 0, &part, 1, room, sizeof room, 0};

    static constexpr char kByte = 1;
};

bool give_line(Peer device, int end) {
    Gift gift;
    cmsghdr& header = *CMSG_FIRSTHDR(&gift.message);
    header.cmsg_level = SOL_SOCKET;
    header.cmsg_type = SCM_RIGHTS;
    header.cmsg_len = CMSG_LEN(sizeof end);
    std::memcpy(CMSG_DATA(&header), &end, sizeof end);
    ssize_t sent;
    do
        sent = sendmsg(device, &gift.message, MSG_NOSIGNAL);
    while (sent < 0 && may_send_again(device));
    const int error = errno;
    close(end);
    errno = error;
    return sent == 1;
}

// The program's own files keep their usual numbers: the descriptor gets one near that of the other
// process's socket, if there is one.
Peer with_high_number(int descriptor, Peer other) {
    constexpr int kBelow = 256;
    const int high = other > kBelow ? fcntl(descriptor, F_DUPFD_CLOEXEC, other - kBelow) : -1;
    if (high < 0) return descriptor;
    close(descriptor);
    return high;
}

Peer keep_line(Peer device, int end) {
    set_patience(end);
    return with_high_number(end, device);
}

bool take_line(Peer host, unsigned, Peer& line) {
    Gift gift;
    ssize_t got;
    do
        got = recvmsg(host, &gift.message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    errno = 0;
    if (got != 1) return false;
    errno = (gift.message.msg_flags & MSG_CTRUNC) != 0 ? EMFILE : EPROTO;
    const cmsghdr* const header = CMSG_FIRSTHDR(&gift.message);
    if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(int)))
        return false;
    int descriptor;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    line = with_high_number(descriptor, host);
    return true;
}

bool await_end(Peer peer, unsigned milliseconds) {
    pollfd one = {peer, POLLRDHUP, 0};
    return poll(&one, 1, static_cast<int>(milliseconds)) > 0;
}

bool end(bool) { return true; } // the system closes the sockets

void forget(Peer peer) { close(peer); }

} // namespace

const Transport socket_transport = {"sockets", is_usable, begin,     send,      receive, make_line,
                                    give_line, keep_line, take_line, await_end, end,     forget};

} // namespace teff::device
