// SPDX-License-Identifier: Apache-2.0
#include "device/message.h"

namespace teff::device {

namespace {

// Whether the data of its copies follow in the message.
bool has_own_data(const Construct& construct) {
    return construct.passing == Passing::none || construct.passing == Passing::sends;
}
// Whether the answer has the data of its reads.
bool answers_with_data(const Construct& construct) {
    return construct.passing == Passing::none || construct.passing == Passing::receives;
}

bool has_lists(const Construct& construct) {
    return construct.copies != 0 || construct.stores != 0 || construct.reads != 0;
}

const char* check_passing(const Construct& construct, const Lists& lists, const Bounds& bounds,
                          const Lengths& lengths) {
    switch (construct.passing) {
    case Passing::none:
        return nullptr;
    case Passing::sends:
    case Passing::receives:
        return construct.other < bounds.devices && construct.other != bounds.number
                   ? nullptr
                   : "it passes data to or from a device that is no other one";
    case Passing::moves:
        if (construct.copies != construct.reads) return "it does not move as many ranges as it reads";
        for (std::uint64_t i = 0; i < construct.copies; ++i)
            if (lists.copies[i].bytes != lists.reads[i].bytes) return "it moves ranges of different lengths";
        return nullptr;
    case Passing::opens:
        return construct.function == 0 && !has_lists(construct) ? nullptr : "it opens a line, and has data";
    case Passing::loads:
        if (construct.function != 0 || has_lists(construct)) return "it loads a library, and has data";
        return lengths.data != 0 && lengths.data <= kLongestPath ? nullptr
                                                                 : "the path of a library is empty or too long";
    }
    return "it passes data in a way that is not known";
}

// Adds up the lengths of ranges. Returns false if a range is not allowed, or the sum is too large.
bool add_up(const Range* ranges, std::uint64_t count, const Bounds& bounds, std::uint64_t& sum) {
    sum = 0;
    for (std::uint64_t i = 0; i < count; ++i)
        if (!bounds.may_touch(ranges[i]) || __builtin_add_overflow(sum, ranges[i].bytes, &sum)) return false;
    return true;
}

} // namespace

const char* check_header(const Header& header, MessageKind expected, std::uint64_t sequence) {
    if (header.magic != Header::kMagic) return "it does not begin as a message of Teff";
    if (header.kind != expected) return "it is of another kind than expected";
    if (header.sequence != sequence) return "it is not the next message";
    return nullptr;
}

const char* check_hello(const Header& header, const Hello& hello) {
    if (hello.version != Hello::kVersion) return "it comes from another version of Teff";
    if (hello.modules > kMostModules) return "its list of modules is too long";
    if (header.bytes != sizeof hello + hello.modules * sizeof(ModuleRecord))
        return "its length does not fit its content";
    if (hello.heap.end() < hello.heap.address || hello.heap.address == 0) return "its memory range is empty";
    return nullptr;
}

const char* check_pass(const Header& header, std::uint64_t pass, std::uint64_t bytes) {
    if (const char* const reason = check_header(header, MessageKind::pass, pass)) return reason;
    return header.bytes == bytes ? nullptr : "its data are not as long as what is to be copied";
}

const char* check_counts(const Header& header, const Construct& construct, Lengths& lengths) {
    const std::uint64_t counts[] = {construct.copies, construct.stores, construct.reads, construct.released};
    for (const std::uint64_t count : counts)
        if (count > kMostItems) return "one of its lists is too long";
    lengths.lists =
        (construct.copies + construct.reads + construct.released) * sizeof(Range) + construct.stores * sizeof(Store);
    if (header.bytes < sizeof construct || header.bytes - sizeof construct < lengths.lists)
        return "its lists are longer than the message";
    lengths.data = header.bytes - sizeof construct - lengths.lists;
    return nullptr;
}

const char* check_counts(const Header& header, const Ahead& ahead, Lengths& lengths) {
    if (ahead.copies > kMostItems) return "its list is too long";
    lengths.lists = ahead.copies * sizeof(Range);
    if (header.bytes < sizeof ahead || header.bytes - sizeof ahead < lengths.lists)
        return "its list is longer than the message";
    lengths.data = header.bytes - sizeof ahead - lengths.lists;
    return nullptr;
}

const char* check_addresses(const Ahead& ahead, const Range* copies, Range heap, const Lengths& lengths) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < ahead.copies; ++i)
        if (!heap.contains(copies[i]) || __builtin_add_overflow(sum, copies[i].bytes, &sum))
            return "it writes to memory that is not the host's";
    return lengths.data == sum ? nullptr : "its data are not as long as its copies";
}

bool Bounds::may_touch(Range range) const {
    if (range.bytes > UINT64_MAX - range.address) return false;
    return heap.contains(range) || range.bytes == 0 || modules->storage(range) == Storage::writable;
}

Lists::Lists(const Construct& construct, const char* block)
    : copies(reinterpret_cast<const Range*>(block)), stores(reinterpret_cast<const Store*>(copies + construct.copies)),
      reads(reinterpret_cast<const Range*>(stores + construct.stores)), released(reads + construct.reads) {}

const char* check_addresses(const Construct& construct, const Lists& lists, const Bounds& bounds, Lengths& lengths,
                            std::uint64_t& reply_bytes) {
    std::uint64_t sum;
    if (!add_up(lists.copies, construct.copies, bounds, sum)) return "it writes to memory that it may not touch";
    if (lengths.data != (has_own_data(construct) ? sum : 0) && construct.passing != Passing::loads)
        return "its data are not as long as its copies";
    for (std::uint64_t i = 0; i < construct.stores; ++i)
        if (!bounds.may_touch({lists.stores[i].device, sizeof(Address)}))
            return "it stores to memory that it may not touch";
    if (!add_up(lists.reads, construct.reads, bounds, reply_bytes)) return "it reads memory that it may not touch";
    if (!answers_with_data(construct)) reply_bytes = 0;
    if (const char* const reason = check_passing(construct, lists, bounds, lengths)) return reason;
    for (std::uint64_t i = 0; i < construct.released; ++i)
        if (!bounds.heap.contains(lists.released[i])) return "it releases memory that is not the host's";
    if (construct.function != 0 && !bounds.modules->is_code(construct.function)) return "its function is no code";
    return nullptr;
}

} // namespace teff::device
