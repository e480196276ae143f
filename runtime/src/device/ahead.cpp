// SPDX-License-Identifier: Apache-2.0
#include "device/ahead.h"

#include <algorithm>
#include <cerrno>

#include "device/deferred.h"
#include "device/turn.h"

namespace teff::device {

namespace {

// Smaller data take no longer than waking the thread that sends.
constexpr std::uint64_t kLeast_bytes = std::uint64_t{1} << 17;
// Data that are sent ahead leave nearly all of the device's memory to other constructs. It is
// scarce only where the address space is limited, and then hardly anything is sent ahead.
constexpr std::uint64_t kPartOfHeap = 256;

bool is_large(const Items& items, std::size_t i) {
    Transfer transfer;
    return items.sizes[i] >= kLeast_bytes && get_transfer(items.kind(i), transfer) && transfer.to &&
           !transfer.must_be_present && items.addresses[i] != nullptr;
}

// Called with the device's memory_mutex held, as are those that follow.
bool is_written_back(const Device& device, Range host) {
    if (device.written_back == nullptr) return false;
    return std::any_of(device.written_back->begin(), device.written_back->end(),
                       [=](const Copy& copy) { return host.overlaps({copy.host, copy.bytes}); });
}

// Whether the construct will map these data, as far as can be told, to memory of the device's heap.
bool may_go_ahead(Device& device, const Items& items, std::size_t i) {
    const Range host = items.range(i);
    return is_large(items, i) && host.end() > host.address && device.memory.modules.find(host.address) == nullptr &&
           device.memory.presence.overlapping(host) == nullptr && !is_written_back(device, host);
}

// Memory that is used again needs not be discarded.
void keep(base::List<Range>& discarded, Range used) {
    for (std::size_t i = discarded.size(); i-- > 0;) {
        const Range all = discarded[i];
        if (!all.overlaps(used)) continue;
        discarded.erase(i);
        if (all.address < used.address) discarded.push({all.address, used.address - all.address});
        if (all.end() > used.end()) discarded.push({used.end(), all.end() - used.end()});
    }
}

void choose(Device& device, const Items& items, base::List<Copy>& copies) {
    std::uint64_t most = device.memory.heap.free_bytes() / kPartOfHeap;
    for (std::size_t i = 0; i < items.count; ++i) {
        if (items.kind(i) == MapKind::struct_) {
            i += items.sizes[i]; // its members, which get one block for all
            continue;
        }
        if (!may_go_ahead(device, items, i)) continue;
        const Range host = items.range(i);
        const std::uint64_t in_line = host.address % RangeHeap::kLine;
        if (host.bytes > most || in_line > most - host.bytes) continue;
        const Range block = device.memory.heap.allocate(in_line + host.bytes, alignment_of(items.kinds[i]));
        if (block.bytes == 0) continue;
        most -= std::min(most, block.bytes);
        keep(device.discarded, block);
        device.memory.sent_ahead.push({items.addresses, host, block, false});
        copies.push({block.address + in_line, host.address, host.bytes});
    }
}

bool send(Device& device, Ahead ahead, std::uint64_t number, const base::List<Copy>& copies) {
    base::List<Range> ranges;
    for (const Copy& copy : copies)
        ranges.push({copy.device, copy.bytes});
    ahead.copies = ranges.size();
    const std::size_t list_bytes = ranges.size() * sizeof(Range);
    const std::uint64_t bytes = sizeof ahead + list_bytes + bytes_of(copies);
    const Header header = {Header::kMagic, MessageKind::ahead, number, bytes};
    base::List<iovec> parts;
    parts.push(part(&header, sizeof header));
    parts.push(part(&ahead, sizeof ahead));
    parts.push(part(ranges.data(), list_bytes));
    for (const Copy& copy : copies)
        parts.push(part(reinterpret_cast<const void*>(copy.host), copy.bytes));
    device.traffic.count_sent(parts.data(), parts.size());
    return transport_to_devices().send(device.lane, parts.data(), parts.size());
}

// The device may still receive a part of the data, so their memory is never used again.
void lose(Device& device, const Items& items) {
    device.lane_state = LaneState::closed;
    for (SentAhead& one : device.memory.sent_ahead) {
        if (one.construct != items.addresses) continue;
        one.is_stale = true;
        one.block = {};
    }
}

bool may_open_lane(Device& device) {
    const sync::MutexGuard guard(device.memory_mutex);
    return device.lane_state == LaneState::none;
}

} // namespace

bool is_worth_sending_ahead(const Items& items) {
    for (std::size_t i = 0; i < items.count; ++i)
        if (is_large(items, i)) return true;
    return false;
}

void open_lane(unsigned number, Where where) {
    Device& device = device_at(number);
    if (!may_open_lane(device)) return;
    Turn turn(number, where);
    if (!may_open_lane(device)) return; // another thread has had the turn
    const Transport& transport = transport_to_devices();
    LineEnds ends = {-1, -1};
    bool is_open = transport.make_line(ends);
    const bool is_made = is_open;
    if (is_made) {
        Outgoing outgoing;
        outgoing.construct.passing = Passing::opens;
        turn.send(outgoing);
        errno = 0;
        if (!transport.give_line(device.peer, ends.of_second)) turn.lost();
        Answer answer;
        while (!turn.take_answer(answer))
            continue;
        if (answer.header.bytes != sizeof answer.times) turn.refuse("its length is not that of the data asked for");
        is_open = answer.header.kind == MessageKind::reply;
    }
    {
        const sync::MutexGuard guard(device.memory_mutex);
        device.lane_state = is_open ? LaneState::open : LaneState::closed;
        if (is_made) device.lane = transport.keep_line(device.peer, ends.of_first);
    }
    if (is_open) begin_to_send_ahead(number);
}

void send_ahead(unsigned number, const Items& items) {
    Device& device = device_at(number);
    base::List<Copy> copies;
    Ahead ahead = {};
    std::uint64_t next = 0;
    {
        const sync::MutexGuard guard(device.memory_mutex);
        if (device.lane_state != LaneState::open) return;
        choose(device, items, copies);
        ahead.after = device.sequence;
        next = device.aheads + 1;
    }
    if (copies.empty()) return;
    const bool is_sent = send(device, ahead, next, copies);
    const sync::MutexGuard guard(device.memory_mutex);
    if (is_sent) device.aheads = next;
    else lose(device, items);
}

} // namespace teff::device
