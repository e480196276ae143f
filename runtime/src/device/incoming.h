// SPDX-License-Identifier: Apache-2.0
//
// Incoming: a Construct as a device takes it from the line, up to its data, with all checks.
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
    std::uint64_t reply_bytes; // of data
    const char* refusal;       // which check has failed

    Lists lists() const { return Lists(construct, block.data()); }

    base::List<char> block; // the four lists
};

enum class Taken { whole, gone, refused };

template <class Receive>
Taken take_construct(Receive&& receive, std::uint64_t sequence, const Bounds& bounds, Incoming& incoming) {
    constexpr std::uint64_t kStep_bytes = 1 << 20;
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
    incoming.block.clear();
    for (std::uint64_t left = lengths.lists; left != 0;) {
        const std::uint64_t step = std::min(left, kStep_bytes);
        if (!receive(incoming.block.extend(step), step)) return Taken::gone;
        left -= step;
    }
    const char* const reason =
        check_addresses(incoming.construct, incoming.lists(), bounds, lengths, incoming.reply_bytes);
    return reason != nullptr ? refuse(reason) : Taken::whole;
}

} // namespace teff::device
