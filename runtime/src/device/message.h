// SPDX-License-Identifier: Apache-2.0
//
// The messages between the host and a device. A device first sends Hello. From then on the host
// sends a Construct, and the device carries it out and answers with a Reply: one message for each
// construct, and one answer. The host sends the next one only after the answer. From the arrival of
// a Construct to its answer, the device sends Alive once a second, so that the host can tell a
// device that hangs from one that works.
//
//     Hello:      Header, Hello, ModuleRecord[modules]
//     Construct:  Header, Construct, Range[copies], Store[stores], Range[reads], Range[released],
//                 data
//     Reply:      Header, data
//     Alive:      Header
//
// The device first discards the memory that is released, then takes the copies, makes the stores,
// and calls the function. The data of a Construct are the bytes of its copies, one after another;
// those of a Reply the bytes of its reads. All addresses are the device's. Both sides have the same
// byte order and sizes, because they run the same file.
//
// The receiver trusts nothing: it checks kind, sequence and length of a message before it reads on,
// and a device checks each range against the memory that the host may touch. A message that fails a
// check ends the process that received it, with a message that names the check.
#pragma once

#include <cstdint>

#include "device/plan.h"

namespace teff::device {

enum class MessageKind : std::uint32_t { hello = 1, construct = 2, reply = 3, alive = 4 };

struct Header {
    static constexpr std::uint32_t kMagic = 0x46464554; // TEFF

    std::uint32_t magic;
    MessageKind kind;
    std::uint64_t sequence; // of constructs, from 1 on; 0 in Hello and Alive
    std::uint64_t bytes;    // that follow
};

struct Hello {
    static constexpr std::uint32_t kVersion = 1; // of these messages

    std::uint32_t version;
    std::uint32_t modules;
    std::int64_t process;
    Range heap; // memory that the host gives out
};

struct Construct {
    Address function; // 0: there is none, only data
    Address arguments;
    std::uint32_t thread_limit; // 0: none
    std::uint32_t unused;
    std::uint64_t copies, stores, reads, released;
};

// The lengths that follow from a checked Construct.
struct Lengths {
    std::uint64_t lists; // of the four lists, in bytes
    std::uint64_t data;
};

// No construct has more items; a list of this length is a sign of a damaged message.
inline constexpr std::uint64_t kMostItems = std::uint64_t{1} << 26;

inline constexpr std::uint32_t kMostModules = 1 << 16; // of a process

// These return null, or which check has failed.
const char* check_header(const Header&, MessageKind expected, std::uint64_t sequence);
// Checks the numbers of a Construct's elements against the message's length.
const char* check_counts(const Header&, const Construct&, Lengths&);
const char* check_hello(const Header&, const Hello&);

// The memory of a device that messages may name.
struct Bounds {
    Range heap;
    const Modules* modules;

    bool may_touch(Range) const;
};

// The lists of a received Construct, in one block.
struct Lists {
    const Range* copies;
    const Store* stores;
    const Range* reads;
    const Range* released;

    Lists(const Construct&, const char* block);
};

// Checks every address of a Construct. Sets `lengths.data`, and `reply_bytes` to the length of the
// answer's data.
const char* check_addresses(const Construct&, const Lists&, const Bounds&, Lengths& lengths,
                            std::uint64_t& reply_bytes);

} // namespace teff::device
