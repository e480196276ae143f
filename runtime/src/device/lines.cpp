// SPDX-License-Identifier: Apache-2.0
#include "device/lines.h"

#include <cerrno>
#include <cstring>

#include "base/report.h"
#include "device/role.h"

namespace teff::device {

namespace {

void* address(Range range) { return reinterpret_cast<void*>(range.address); }

std::uint64_t bytes_of(const Range* ranges, std::uint64_t count) {
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        bytes += ranges[i].bytes;
    return bytes;
}

} // namespace

bool Lines::find(const Transport& transport, Peer host, unsigned device, Peer& line) {
    while (lines_.size() <= device)
        lines_.push(kNone);
    if (lines_[device] == kNone && !transport.take_line(host, device, lines_[device])) {
        if (errno == EPROTO)
            base::fatal(0, "device %u refuses a message of the host: it has no line to device %u", role().number,
                        device);
        if (errno == EMFILE)
            base::fatal(EMFILE, "device %u has no free descriptor for a copy from or to device %u", role().number,
                        device);
        return false;
    }
    line = lines_[device];
    return true;
}

Passed Lines::send(const Transport& transport, Peer host, const Construct& construct, const Range* reads) {
    Peer line;
    if (!find(transport, host, construct.other, line)) return Passed::gone;
    const Header header = {Header::kMagic, MessageKind::pass, construct.pass, bytes_of(reads, construct.reads)};
    base::List<iovec> parts;
    parts.push({const_cast<Header*>(&header), sizeof header});
    for (std::uint64_t i = 0; i < construct.reads; ++i)
        parts.push({address(reads[i]), reads[i].bytes});
    return transport.send(line, parts.data(), parts.size()) ? Passed::whole : Passed::cut;
}

Passed Lines::receive(const Transport& transport, Peer host, const Construct& construct, const Range* copies) {
    Peer line;
    if (!find(transport, host, construct.other, line)) return Passed::gone;
    Header header;
    if (!transport.receive(line, &header, sizeof header)) return Passed::cut;
    if (const char* const reason = check_pass(header, construct.pass, bytes_of(copies, construct.copies)))
        base::fatal(0, "device %u refuses a message of device %u: %s", role().number, construct.other, reason);
    for (std::uint64_t i = 0; i < construct.copies; ++i)
        if (!transport.receive(line, address(copies[i]), copies[i].bytes)) return Passed::cut;
    return Passed::whole;
}

void Lines::forget(const Transport& transport) {
    for (const Peer line : lines_)
        if (line != kNone) transport.forget(line);
}

void move_within(const Construct& construct, const Lists& lists) {
    for (std::uint64_t i = 0; i < construct.copies; ++i)
        std::memmove(address(lists.copies[i]), address(lists.reads[i]), lists.copies[i].bytes);
}

} // namespace teff::device
