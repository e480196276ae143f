// SPDX-License-Identifier: Apache-2.0
//
// Incoming: a Construct, or an Ahead, as a device takes it from the line, up to its data, with all
// checks.
//
// `receive(to, bytes)` moves bytes from the line; it returns false if the other side is gone. A
// length in a message is only a claim: memory for its lists grows as they arrive.
#pragma once

#include <algorithm>

#include "base/list.h"
#include "device/message.h"

namespace teff::device {

struct Incoming {
    Construct construct;
    std::uint64_t data_bytes;  // that follow
    std::uint64_t reply_bytes; // of data
    const char* refusal;       // which check has failed

    Lists lists() const { return Lists(construct, block.data()); }

    base::List<char> block; // the four lists
};

struct IncomingAhead {
    Ahead ahead;
    const char* refusal;

    const Range* copies() const { return reinterpret_cast<const Range*>(block.data()); }

    base::List<char> block; // the list
};

enum class Taken { whole, gone, refused };

namespace detail {
template <class Receive> bool receive_lists(Receive&& receive, std::uint64_t bytes, base::List<char>& block) {
    constexpr std::uint64_t kStep_bytes = 1 << 20;
    block.clear();
    for (std::uint64_t left = bytes; left != 0;) {
        const std::uint64_t step = std::min(left, kStep_bytes);
        if (!receive(block.extend(step), step)) return false;
        left -= step;
    }
    return true;
}
} // namespace detail

template <class Receive>
Taken take_construct(Receive&& receive, std::uint64_t sequence, const Bounds& bounds, Incoming& incoming) {
    const auto refuse = [&](const char* reason) {
        incoming.refusal = reason;
        return Taken::refused;
    };
    Header header;
    if (!receive(&header, sizeof header)) return Taken::gone;
    if (const char* const reason = check_header(header, MessageKind::construct, sequence)) return refuse(reason);
    if (header.bytes < sizeof incoming.construct) return refuse("it is too short");
    if (!receive(&incoming.construct, sizeof incoming.construct)) return Taken::gone;
    Lengths lengths;
    if (const char* const reason = check_counts(header, incoming.construct, lengths)) return refuse(reason);
    if (!detail::receive_lists(receive, lengths.lists, incoming.block)) return Taken::gone;
    incoming.data_bytes = lengths.data;
    const char* const reason =
        check_addresses(incoming.construct, incoming.lists(), bounds, lengths, incoming.reply_bytes);
    return reason != nullptr ? refuse(reason) : Taken::whole;
}

template <class Receive>
Taken take_ahead(Receive&& receive, std::uint64_t number, Range heap, IncomingAhead& incoming) {
    const auto refuse = [&](const char* reason) {
        incoming.refusal = reason;
        return Taken::refused;
    };
    Header header;
    if (!receive(&header, sizeof header)) return Taken::gone;
    if (const char* const reason = check_header(header, MessageKind::ahead, number)) return refuse(reason);
    if (header.bytes < sizeof incoming.ahead) return refuse("it is too short");
    if (!receive(&incoming.ahead, sizeof incoming.ahead)) return Taken::gone;
    Lengths lengths;
    if (const char* const reason = check_counts(header, incoming.ahead, lengths)) return refuse(reason);
    if (!detail::receive_lists(receive, lengths.lists, incoming.block)) return Taken::gone;
    const char* const reason = check_addresses(incoming.ahead, incoming.copies(), heap, lengths);
    return reason != nullptr ? refuse(reason) : Taken::whole;
}

} // namespace teff::device
