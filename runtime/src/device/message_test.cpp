// SPDX-License-Identifier: Apache-2.0
#include "device/message.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace teff::device {
namespace {

constexpr Range kHeap = {0x100000, 0x10000};

void function() {}

const Modules& own_modules() {
    static Modules modules;
    if (modules.records().empty()) modules.read();
    return modules;
}

// A valid construct, whose parts tests damage.
struct Message {
    Header header = {};
    Construct construct = {};
    Range copies[2] = {{kHeap.address, 16}, {kHeap.address + 0x8000, 8}};
    Store stores[1] = {{kHeap.address + 64, 1}};
    Range reads[1] = {{kHeap.address, 24}};
    Range released[1] = {{kHeap.address + 0x1000, 64}};

    Message() {
        construct.function = reinterpret_cast<Address>(function);
        construct.copies = 2;
        construct.stores = construct.reads = construct.released = 1;
        header = {Header::kMagic, MessageKind::construct, 1,
                  sizeof construct + sizeof copies + sizeof stores + sizeof reads + sizeof released + 24};
    }
    std::vector<char> block() const {
        std::vector<char> result;
        const auto add = [&](const void* data, std::size_t bytes) {
            result.insert(result.end(), static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
        };
        add(copies, sizeof copies);
        add(stores, sizeof stores);
        add(reads, sizeof reads);
        add(released, sizeof released);
        return result;
    }
    const char* check() const {
        if (const char* const reason = check_header(header, MessageKind::construct, 1)) return reason;
        Lengths lengths;
        if (const char* const reason = check_counts(header, construct, lengths)) return reason;
        std::vector<char> content = block();
        content.resize(std::max<std::size_t>(content.size(), lengths.lists));
        std::uint64_t reply_bytes = 0;
        const Bounds bounds = {kHeap, &own_modules()};
        const char* const reason =
            check_addresses(construct, Lists(construct, content.data()), bounds, lengths, reply_bytes);
        if (reason == nullptr) {
            EXPECT_EQ(reply_bytes, reads[0].bytes);
        }
        return reason;
    }
};

TEST(Message, AValidOnePasses) { EXPECT_EQ(Message().check(), nullptr); }

TEST(Message, HeadersAreChecked) {
    Message message;
    message.header.magic = 0;
    EXPECT_NE(message.check(), nullptr);
    message = Message();
    message.header.kind = MessageKind::reply;
    EXPECT_NE(message.check(), nullptr);
    message = Message();
    message.header.sequence = 2;
    EXPECT_NE(message.check(), nullptr);
}

TEST(Message, LengthsAreChecked) {
    Message message;
    message.header.bytes -= 1;
    EXPECT_STREQ(message.check(), "its data are not as long as its copies");
    message = Message();
    message.header.bytes = sizeof(Construct);
    EXPECT_STREQ(message.check(), "its lists are longer than the message");
    message = Message();
    message.construct.copies = UINT64_MAX / 16;
    EXPECT_STREQ(message.check(), "one of its lists is too long");
}

TEST(Message, AddressesAreChecked) {
    Message message;
    message.copies[1] = {kHeap.end() - 4, 8};
    EXPECT_STREQ(message.check(), "it writes to memory that it may not touch");
    message = Message();
    message.copies[1] = {UINT64_MAX - 4, 8};
    EXPECT_NE(message.check(), nullptr);
    message = Message();
    message.copies[1] = {reinterpret_cast<Address>(function), 8};
    EXPECT_STREQ(message.check(), "it writes to memory that it may not touch") << "code is not writable";
    message = Message();
    message.stores[0].device = kHeap.end() - 7;
    EXPECT_NE(message.check(), nullptr);
    message = Message();
    message.reads[0] = {0, 24};
    EXPECT_NE(message.check(), nullptr);
    message = Message();
    message.released[0] = {kHeap.address - 64, 64};
    EXPECT_NE(message.check(), nullptr);
    message = Message();
    message.construct.function = kHeap.address;
    EXPECT_STREQ(message.check(), "its function is no code");
}

TEST(Message, HelloIsChecked) {
    const Hello good = {Hello::kVersion, 2, 1, kHeap};
    const Header header = {Header::kMagic, MessageKind::hello, 0, sizeof good + 2 * sizeof(ModuleRecord)};
    EXPECT_EQ(check_hello(header, good), nullptr);
    Hello bad = good;
    bad.version = 99;
    EXPECT_NE(check_hello(header, bad), nullptr);
    bad = good;
    bad.modules = 3;
    EXPECT_NE(check_hello(header, bad), nullptr);
    bad = good;
    bad.heap = {UINT64_MAX, 2};
    EXPECT_NE(check_hello(header, bad), nullptr);
}

// 10,000 messages with random damage: whatever passes touches only what it may.
TEST(Message, HostileOnesTouchNothingElse) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 10'000; ++i) {
        Message message;
        std::vector<char> content = message.block();
        auto* const target = random() % 2 == 0 ? reinterpret_cast<char*>(&message.construct) : content.data();
        const std::size_t bytes = target == content.data() ? content.size() : sizeof(Construct);
        for (unsigned k = 0; k <= random() % 4; ++k)
            target[random() % bytes] ^= static_cast<char>(1 << random() % 8);
        Lengths lengths;
        if (check_counts(message.header, message.construct, lengths) != nullptr) continue;
        content.resize(lengths.lists); // as it is received
        const Lists lists(message.construct, content.data());
        const Bounds bounds = {kHeap, &own_modules()};
        std::uint64_t reply_bytes;
        if (check_addresses(message.construct, lists, bounds, lengths, reply_bytes) != nullptr) continue;
        std::uint64_t sum = 0;
        for (std::uint64_t k = 0; k < message.construct.copies; ++k) {
            ASSERT_TRUE(bounds.may_touch(lists.copies[k]));
            sum += lists.copies[k].bytes;
        }
        ASSERT_EQ(sum, lengths.data);
        ASSERT_LE(lengths.lists + lengths.data + sizeof(Construct), message.header.bytes);
    }
}

} // namespace
} // namespace teff::device
