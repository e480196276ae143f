// SPDX-License-Identifier: Apache-2.0
#include "device/between.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/report.h"
#include "device/turn.h"

namespace teff::device {

namespace {

std::atomic<std::uint64_t> passes{0}; // numbers them; relaxed: each only has to be another one

std::uint64_t bytes_of(const base::List<Range>& ranges) {
    std::uint64_t bytes = 0;
    for (const Range& range : ranges)
        bytes += range.bytes;
    return bytes;
}

// One of the two devices of a copy.
struct Side {
    Turn& turn;
    Outgoing outgoing = {};
    Answer answer = {};
    bool has_answered = false;

    unsigned number() { return turn.device().number; }
    void send() {
        turn.events().sends();
        turn.send(outgoing);
    }
    void take_answer() {
        if (has_answered || !turn.take_answer(answer)) return;
        has_answered = true;
        turn.events().is_answered(answer.times);
        if (answer.header.bytes != sizeof answer.times) turn.refuse("its length is not that of the data asked for");
    }
    void end(std::uint64_t bytes_received) {
        turn.events().ends(nullptr, bytes_received, 0);
        turn.device().traffic.count_pass(bytes_received);
    }
};

// Guarded by the mutexes of both devices.
bool& has_line(Device& lower, const Device& higher) {
    if (lower.lines.size() <= higher.number) lower.lines.resize(higher.number + 1);
    return lower.lines[higher.number];
}

void give_line(Side& side, int end) {
    errno = 0;
    if (!transport_to_devices().give_line(side.turn.device().peer, end)) side.turn.lost();
}

void await_answers(Side& sender, Side& receiver) {
    while (!sender.has_answered || !receiver.has_answered) {
        sender.take_answer();
        receiver.take_answer();
    }
    for (Side* const side : {&sender, &receiver})
        if (side->answer.header.kind == MessageKind::cut) side->turn.lost_line(side->outgoing.construct.other);
}

// `lower` and `higher` are the turns at both.
void pass(Side& sender, Side& receiver, Device& lower, const Device& higher) {
    const std::uint64_t number = passes.fetch_add(1, std::memory_order_relaxed) + 1;
    LineEnds ends = {-1, -1};
    bool& is_known = has_line(lower, higher);
    const bool is_new = !is_known;
    if (is_new && !transport_to_devices().make_line(ends))
        base::fatal(errno, "there is no socket for a copy between devices %u and %u", lower.number, higher.number);
    is_known = true;
    sender.outgoing.construct.passing = Passing::sends;
    receiver.outgoing.construct.passing = Passing::receives;
    sender.outgoing.construct.other = receiver.number();
    receiver.outgoing.construct.other = sender.number();
    sender.outgoing.construct.pass = receiver.outgoing.construct.pass = number;
    sender.send();
    if (is_new) give_line(sender, ends.of_first);
    receiver.send();
    if (is_new) give_line(receiver, ends.of_second);
    await_answers(sender, receiver);
}

void copy_within(Ranges& to, Ranges& from, Where where) {
    Turn turn(to.device, where);
    Side side = {turn};
    side.outgoing.construct.passing = Passing::moves;
    side.outgoing.copies.swap(to.list);
    side.outgoing.reads.swap(from.list);
    side.send();
    while (!side.has_answered)
        side.take_answer();
    side.end(0);
}

} // namespace

void copy_between(Ranges& to, Ranges& from, Where where) {
    const std::uint64_t bytes = bytes_of(to.list);
    if (bytes == 0) return;
    if (to.device == from.device) return copy_within(to, from, where);
    Turn lower(std::min(to.device, from.device), where), higher(std::max(to.device, from.device), where);
    lower.events().has_device(); // now that it need not wait for the other
    Side sender = {from.device < to.device ? lower : higher}, receiver = {from.device < to.device ? higher : lower};
    sender.outgoing.reads.swap(from.list);
    receiver.outgoing.copies.swap(to.list);
    pass(sender, receiver, lower.device(), higher.device());
    sender.end(0);
    receiver.end(bytes);
}

} // namespace teff::device
