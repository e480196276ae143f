// SPDX-License-Identifier: Apache-2.0
#include "device/incoming.h"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace teff::device {
namespace {

constexpr Range kHeap = {0x100000, 0x10000};
constexpr std::uint64_t kSequence = 7;

void function() {}

// Bytes on the line.
class Bytes {
  public:
    template <class T> void add(const T& object) {
        const auto* const first = reinterpret_cast<const unsigned char*>(&object);
        bytes.insert(bytes.end(), first, first + sizeof object);
    }
    bool take(void* to, std::size_t count) {
        if (count > bytes.size() - taken) return false;
        std::memcpy(to, bytes.data() + taken, count);
        taken += count;
        return true;
    }
    std::vector<unsigned char> bytes;
    std::size_t taken = 0;
};

Bytes valid() {
    Construct construct = {};
    construct.function = reinterpret_cast<Address>(function);
    construct.copies = 2;
    construct.stores = construct.reads = construct.released = 1;
    constexpr std::uint64_t kLists = 4 * sizeof(Range) + sizeof(Store), kData = 24;
    Bytes line;
    line.add(Header{Header::kMagic, MessageKind::construct, kSequence, sizeof construct + kLists + kData});
    line.add(construct);
    line.add(Range{kHeap.address, 16});
    line.add(Range{kHeap.address + 0x8000, 8});
    line.add(Store{kHeap.address + 64, 1});
    line.add(Range{kHeap.address, 24});
    line.add(Range{kHeap.address + 0x1000, 64});
    return line;
}

Taken take(Bytes& line, Incoming& incoming) {
    static Modules modules;
    if (modules.records().empty()) modules.read();
    const Bounds bounds = {kHeap, &modules};
    const Taken taken =
        take_construct([&](void* to, std::size_t bytes) { return line.take(to, bytes); }, kSequence, bounds, incoming);
    if (taken != Taken::whole) return taken;
    const Lists lists = incoming.lists();
    for (std::uint64_t i = 0; i < incoming.construct.copies; ++i)
        EXPECT_TRUE(bounds.may_touch(lists.copies[i]));
    for (std::uint64_t i = 0; i < incoming.construct.stores; ++i)
        EXPECT_TRUE(bounds.may_touch({lists.stores[i].device, sizeof(Address)}));
    for (std::uint64_t i = 0; i < incoming.construct.reads; ++i)
        EXPECT_TRUE(bounds.may_touch(lists.reads[i]));
    for (std::uint64_t i = 0; i < incoming.construct.released; ++i)
        EXPECT_TRUE(kHeap.contains(lists.released[i]));
    return taken;
}

TEST(Incoming, AValidConstructIsTaken) {
    Bytes line = valid();
    Incoming incoming = {};
    ASSERT_EQ(take(line, incoming), Taken::whole) << incoming.refusal;
    EXPECT_EQ(incoming.reply_bytes, 24u);
    EXPECT_EQ(incoming.lists().stores[0].value, 1u);
    EXPECT_EQ(line.taken, line.bytes.size()) << "the data are left on the line";
}

TEST(Incoming, AClaimedLengthTakesNoMemory) {
    Bytes line = valid();
    constexpr std::uint64_t kClaim = kMostItems;
    std::memcpy(line.bytes.data() + sizeof(Header) + offsetof(Construct, copies), &kClaim, sizeof kClaim);
    constexpr std::uint64_t kBytes = kClaim * 64;
    std::memcpy(line.bytes.data() + offsetof(Header, bytes), &kBytes, sizeof kBytes);
    Incoming incoming = {};
    EXPECT_EQ(take(line, incoming), Taken::gone);
    EXPECT_LE(incoming.block.size(), std::size_t{1} << 20);
}

// 10,000 messages that are cut, damaged or noise: whatever is taken touches only what it may, and
// nothing is read or allocated beyond what has come.
TEST(Incoming, HostileMessages) {
    std::mt19937_64 random(17);
    unsigned outcomes[3] = {};
    Incoming incoming = {};
    for (int i = 0; i < 10'000; ++i) {
        Bytes line = valid();
        std::vector<unsigned char>& bytes = line.bytes;
        switch (random() % 4) {
        case 0: // noise behind what was right so far
            for (std::size_t at = random() % bytes.size(); at < bytes.size(); ++at)
                bytes[at] = static_cast<unsigned char>(random());
            break;
        case 1:
            bytes.resize(random() % bytes.size());
            break;
        case 2: { // a number that is easily mistaken
            constexpr std::uint64_t kNumbers[] = {0,
                                                  1,
                                                  kMostItems,
                                                  kMostItems + 1,
                                                  UINT64_MAX,
                                                  UINT64_MAX - 7,
                                                  std::uint64_t{1} << 63,
                                                  std::uint64_t{1} << 32};
            const std::size_t word = random() % (bytes.size() / 8);
            std::memcpy(bytes.data() + word * 8, &kNumbers[random() % 8], 8);
            break;
        }
        default:
            for (unsigned k = 0; k <= random() % 4; ++k)
                bytes[random() % bytes.size()] ^= static_cast<unsigned char>(1 << random() % 8);
        }
        incoming.refusal = nullptr;
        const Taken taken = take(line, incoming);
        ++outcomes[static_cast<unsigned>(taken)];
        ASSERT_EQ(taken == Taken::refused, incoming.refusal != nullptr);
        ASSERT_LE(incoming.block.size(), std::size_t{1} << 20);
    }
    for (const unsigned count : outcomes)
        EXPECT_GT(count, 100u);
}

Bytes valid_ahead() {
    Bytes line;
    line.add(Header{Header::kMagic, MessageKind::ahead, kSequence, sizeof(Ahead) + 2 * sizeof(Range) + 24});
    line.add(Ahead{3, 2});
    line.add(Range{kHeap.address, 16});
    line.add(Range{kHeap.address + 0xfff8, 8});
    return line;
}

Taken take_from(Bytes& line, IncomingAhead& incoming) {
    return take_ahead([&](void* to, std::size_t bytes) { return line.take(to, bytes); }, kSequence, kHeap, incoming);
}

const char* refusal_of(const Bytes& line) {
    Bytes copy = line;
    IncomingAhead incoming = {};
    return take_from(copy, incoming) == Taken::refused ? incoming.refusal : "";
}

template <class T> void put(Bytes& line, std::size_t at, T value) {
    std::memcpy(line.bytes.data() + at, &value, sizeof value);
}

TEST(IncomingAhead, AValidOneIsTaken) {
    Bytes line = valid_ahead();
    IncomingAhead incoming = {};
    ASSERT_EQ(take_from(line, incoming), Taken::whole);
    EXPECT_EQ(incoming.ahead.after, 3u);
    EXPECT_EQ(incoming.copies()[1].address, kHeap.address + 0xfff8);
    for (std::size_t length = 0; length < valid_ahead().bytes.size(); ++length) {
        Bytes part = valid_ahead();
        part.bytes.resize(length);
        EXPECT_EQ(take_from(part, incoming), Taken::gone) << length;
    }
}

TEST(IncomingAhead, EveryCheck) {
    constexpr std::size_t kNumber = offsetof(Header, sequence), kLength = offsetof(Header, bytes),
                          kCopies = sizeof(Header) + offsetof(Ahead, copies), kRanges = sizeof(Header) + sizeof(Ahead);
    const auto with = [](std::size_t at, std::uint64_t value) {
        Bytes line = valid_ahead();
        put(line, at, value);
        return refusal_of(line);
    };
    EXPECT_STREQ(with(kNumber, kSequence + 1), "it is not the next message");
    EXPECT_STREQ(with(kLength, sizeof(Ahead) - 1), "it is too short");
    EXPECT_STREQ(with(kLength, sizeof(Ahead)), "its list is longer than the message");
    EXPECT_STREQ(with(kLength, UINT64_MAX), "its data are not as long as its copies");
    EXPECT_STREQ(with(kCopies, UINT64_MAX / 16), "its list is too long");
    EXPECT_STREQ(with(kCopies, 1), "its data are not as long as its copies");
    EXPECT_STREQ(with(kRanges, kHeap.address - 1), "it writes to memory that is not the host's");
    EXPECT_STREQ(with(kRanges + 8, UINT64_MAX), "it writes to memory that is not the host's");
    EXPECT_STREQ(with(kRanges + 24, 9), "it writes to memory that is not the host's");
    EXPECT_STREQ(with(kRanges + 24, 7), "its data are not as long as its copies");
    Bytes construct = valid_ahead();
    put(construct, offsetof(Header, kind), MessageKind::construct);
    EXPECT_STREQ(refusal_of(construct), "it is of another kind than expected");
}

} // namespace
} // namespace teff::device
