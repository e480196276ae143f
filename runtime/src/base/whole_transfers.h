// SPDX-License-Identifier: Apache-2.0
//
// Sends and receives on a stream socket, in which a call of the system may move only a part of the
// bytes. Both functions move all bytes, or return false: the other side is gone. `goes_on()` is
// asked, with errno set, whether to try again after a call that has failed.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <sys/socket.h>
#include <sys/uio.h>

namespace teff::base {

namespace detail {

// Takes `bytes` bytes off the beginning of the parts.
inline void take_off(iovec* parts, std::size_t& first, std::size_t bytes) {
    while (bytes != 0) {
        const std::size_t step = std::min(bytes, parts[first].iov_len);
        parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + step;
        parts[first].iov_len -= step;
        bytes -= step;
        if (parts[first].iov_len == 0) ++first;
    }
}

inline constexpr std::size_t kPartsAtOnce = 64;

template <class GoesOn> bool send_some(int socket, iovec* parts, std::size_t count, GoesOn&& goes_on) {
    std::size_t first = 0;
    while (first < count) {
        if (parts[first].iov_len == 0) {
            ++first;
            continue;
        }
        msghdr message = {};
        message.msg_iov = parts + first;
        message.msg_iovlen = count - first;
        const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && goes_on()) continue;
        if (sent <= 0) return false;
        take_off(parts, first, static_cast<std::size_t>(sent));
    }
    return true;
}

} // namespace detail

template <class GoesOn> bool send_whole(int socket, const iovec* parts, std::size_t count, GoesOn&& goes_on) {
    iovec some[detail::kPartsAtOnce];
    while (count != 0) {
        const std::size_t now = std::min(count, detail::kPartsAtOnce);
        std::copy_n(parts, now, some);
        if (!detail::send_some(socket, some, now, goes_on)) return false;
        parts += now;
        count -= now;
    }
    return true;
}

template <class GoesOn> bool receive_whole(int socket, void* to, std::size_t bytes, GoesOn&& goes_on) {
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
        const ssize_t got = recv(socket, at, bytes, 0);
        if (got < 0 && goes_on()) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

} // namespace teff::base
