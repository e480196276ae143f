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
        const Bounds bounds = {kHeap, &own_modules(), 1, 3};
        const char* const reason =
            check_addresses(construct, Lists(construct, content.data()), bounds, lengths, reply_bytes);
        if (reason == nullptr) {
            const bool answers = construct.passing == Passing::none || construct.passing == Passing::receives;
            EXPECT_EQ(reply_bytes, answers ? reads[0].bytes : 0);
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

Message passing(Passing how, std::uint32_t other = 2) {
    Message message;
    message.construct.passing = how;
    message.construct.other = other;
    message.construct.pass = 7;
    if (how == Passing::receives) message.header.bytes -= 24; // the host does not send them
    return message;
}

TEST(Message, PassingIsChecked) {
    constexpr const char* kNoOther = "it passes data to or from a device that is no other one";
    EXPECT_EQ(passing(Passing::sends).check(), nullptr);
    EXPECT_EQ(passing(Passing::receives).check(), nullptr);
    for (const Passing how : {Passing::sends, Passing::receives}) {
        EXPECT_STREQ(passing(how, 1).check(), kNoOther) << "it is this device";
        EXPECT_STREQ(passing(how, 3).check(), kNoOther);
        EXPECT_STREQ(passing(how, UINT32_MAX).check(), kNoOther);
    }
    Message message = passing(static_cast<Passing>(6));
    message.header.bytes -= 24;
    EXPECT_STREQ(message.check(), "it passes data in a way that is not known");
    message = passing(Passing::receives);
    message.header.bytes += 24;
    EXPECT_STREQ(message.check(), "its data are not as long as its copies") << "the host sends them, too";
    message = passing(Passing::receives);
    message.copies[1] = {kHeap.end() - 4, 8};
    EXPECT_STREQ(message.check(), "it writes to memory that it may not touch");
}

TEST(Message, AConstructThatOpensALineHasNothingElse) {
    const auto check = [](auto&& change) {
        Construct construct = {};
        construct.passing = Passing::opens;
        change(construct);
        const Range ranges[] = {{kHeap.address, 0}};
        Lengths lengths = {};
        std::uint64_t reply_bytes;
        const Lists lists(construct, reinterpret_cast<const char*>(ranges));
        return check_addresses(construct, lists, {kHeap, &own_modules()}, lengths, reply_bytes);
    };
    constexpr const char* kData = "it opens a line, and has data";
    EXPECT_EQ(check([](Construct&) {}), nullptr);
    EXPECT_EQ(check([](Construct& construct) { construct.released = 1; }), nullptr);
    EXPECT_STREQ(check([](Construct& construct) { construct.copies = 1; }), kData);
    EXPECT_STREQ(check([](Construct& construct) { construct.reads = 1; }), kData);
    EXPECT_STREQ(check([](Construct& construct) { construct.function = reinterpret_cast<Address>(function); }), kData);
}

TEST(Message, AConstructThatLoadsALibraryHasOnlyItsPath) {
    const auto check = [](std::uint64_t bytes, auto&& change) {
        Construct construct = {};
        construct.passing = Passing::loads;
        change(construct);
        const Range ranges[] = {{kHeap.address, 0}};
        Lengths lengths = {0, bytes};
        std::uint64_t reply_bytes = 1;
        const Lists lists(construct, reinterpret_cast<const char*>(ranges));
        return check_addresses(construct, lists, {kHeap, &own_modules()}, lengths, reply_bytes);
    };
    const auto unchanged = [](Construct&) {};
    constexpr const char* kData = "it loads a library, and has data";
    constexpr const char* kPath = "the path of a library is empty or too long";
    EXPECT_EQ(check(1, unchanged), nullptr);
    EXPECT_EQ(check(kLongestPath, unchanged), nullptr);
    EXPECT_STREQ(check(0, unchanged), kPath);
    EXPECT_STREQ(check(kLongestPath + 1, unchanged), kPath);
    EXPECT_STREQ(check(8, [](Construct& construct) { construct.copies = 1; }), kData);
    EXPECT_STREQ(check(8, [](Construct& construct) { construct.reads = 1; }), kData);
    EXPECT_STREQ(check(8, [](Construct& construct) { construct.function = 1; }), kData);
}

TEST(Message, MovesAreChecked) {
    Message message;
    message.construct.passing = Passing::moves;
    message.header.bytes -= 24;
    EXPECT_STREQ(message.check(), "it does not move as many ranges as it reads");
    // One copy of this length, and a read.
    const auto check = [](std::uint64_t bytes) {
        Construct construct = {};
        construct.passing = Passing::moves;
        construct.copies = construct.reads = 1;
        const Range ranges[] = {{kHeap.address, bytes}, {kHeap.address + 64, 24}};
        Lengths lengths = {sizeof ranges, 0};
        std::uint64_t reply_bytes = 1;
        const Lists lists(construct, reinterpret_cast<const char*>(ranges));
        const char* const reason = check_addresses(construct, lists, {kHeap, &own_modules()}, lengths, reply_bytes);
        EXPECT_EQ(reply_bytes, 0u);
        return reason;
    };
    EXPECT_EQ(check(24), nullptr);
    EXPECT_STREQ(check(25), "it moves ranges of different lengths");
}

TEST(Message, APassIsChecked) {
    const Header good = {Header::kMagic, MessageKind::pass, 7, 24};
    EXPECT_EQ(check_pass(good, 7, 24), nullptr);
    EXPECT_STREQ(check_pass(good, 8, 24), "it is not the next message");
    EXPECT_STREQ(check_pass(good, 7, 25), "its data are not as long as what is to be copied");
    Header bad = good;
    bad.kind = MessageKind::construct;
    EXPECT_STREQ(check_pass(bad, 7, 24), "it is of another kind than expected");
    bad = good;
    bad.magic = 1;
    EXPECT_STREQ(check_pass(bad, 7, 24), "it does not begin as a message of Teff");
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
        if (message.construct.passing == Passing::loads) continue;
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
