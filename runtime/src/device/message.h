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
//     Reply:      Answer, data
//     Alive:      Answer
//     Cut:        Answer
//     Ahead:      Header, Ahead, Range[copies], data
//
// The device first discards the memory that is released, then takes the copies, makes the stores,
// and calls the function. The data of a Construct are the bytes of its copies, one after another;
// those of a Reply the bytes of its reads. All addresses are the device's. Both sides have the same
// byte order and sizes, because they run the same file.
//
// A Construct may pass its data between devices (between.h): then the data of its reads go to
// another device, or those of its copies come from there, or from its own reads, and the host
// neither gets nor sends these. Between two devices there is one kind of message:
//
//     Pass:       Header, data
//
// A Cut answers instead of a Reply if the line to the other device has broken.
//
// A Construct may ask the device to load a library (later_libraries.h). Its data are then the path,
// those of the Reply the device's modules, and those of a Cut the reason why it cannot.
//
// An Ahead brings data of a later construct (ahead.h), over a line of its own, which a Construct
// opens that does nothing else. It is not answered. A Construct says how many Aheads must have come
// before the device carries it out.
//
// The receiver trusts nothing: it checks kind, sequence and length of a message before it reads on,
// and a device checks each range against the memory that the host may touch. A message that fails a
// check ends the process that received it, with a message that names the check.
#pragma once

#include <cstdint>

#include "device/plan.h"
#include "device/where.h"

namespace teff::device {

enum class MessageKind : std::uint32_t { hello = 1, construct = 2, reply = 3, alive = 4, pass = 5, cut = 6, ahead = 7 };

struct Header {
    static constexpr std::uint32_t kMagic = 0x46464554; // TEFF

    std::uint32_t magic;
    MessageKind kind;
    std::uint64_t sequence; // of constructs, or of Aheads, from 1 on; of a Pass its number; 0 in Hello and Alive
    std::uint64_t bytes;    // that follow
};

struct Hello {
    static constexpr std::uint32_t kVersion = 5; // of these messages

    std::uint32_t version;
    std::uint32_t modules;
    std::int64_t process;
    Range heap; // memory that the host gives out
};

enum class Passing : std::uint32_t {
    none = 0,
    sends = 1,    // the data of the reads go to the other device
    receives = 2, // the data of the copies come from the other device
    moves = 3,    // each copy has the data of the read of the same number; there is no other device
    opens = 4,    // none, but the line for Aheads begins
    loads = 5,    // none, but the device loads a library
};

struct Construct {
    Address function; // 0: there is none, only data
    Address arguments;
    std::uint32_t thread_limit; // 0: none
    std::uint32_t is_timed;     // 1: the host wants the times of the answer
    Passing passing;
    std::uint32_t other; // the number of the other device
    std::uint64_t pass;  // the number of the Pass, the same on both devices
    std::uint64_t ahead; // the Aheads up to this number come first
    std::uint64_t copies, stores, reads, released;
};

struct Ahead {
    std::uint64_t after; // the device first discards what the Construct of this number releases
    std::uint64_t copies;
};

// Reply, Alive and Cut begin alike, so that the host reads this much of each at once.
struct Answer {
    Header header;     // its `bytes` count from here on
    DeviceTimes times; // 0 unless is_timed, and in Alive and Cut
};

// The lengths that follow from a checked Construct.
struct Lengths {
    std::uint64_t lists; // of the four lists, in bytes
    std::uint64_t data;
};

// No construct has more items; a list of this length is a sign of a damaged message.
inline constexpr std::uint64_t kMostItems = std::uint64_t{1} << 26;

inline constexpr std::uint64_t kLongestPath = 4095, kLongestReason = 1023; // of a library, in bytes

inline constexpr std::uint32_t kMostModules = 1 << 16; // of a process

// These return null, or which check has failed.
const char* check_header(const Header&, MessageKind expected, std::uint64_t sequence);
// Checks a message from another device: the Pass of this number, with as many bytes of data.
const char* check_pass(const Header&, std::uint64_t pass, std::uint64_t bytes);
// Checks the numbers of a Construct's elements against the message's length.
const char* check_counts(const Header&, const Construct&, Lengths&);
const char* check_counts(const Header&, const Ahead&, Lengths&);
const char* check_hello(const Header&, const Hello&);

// The memory of a device, and the other devices, that messages may name.
struct Bounds {
    Range heap;
    const Modules* modules;
    unsigned number = 0, devices = 1; // of this device, and of all

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
// The same for an Ahead: all its data go to memory that the host gives out.
const char* check_addresses(const Ahead&, const Range* copies, Range heap, const Lengths& lengths);

} // namespace teff::device
