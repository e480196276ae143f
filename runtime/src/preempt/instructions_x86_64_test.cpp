// SPDX-License-Identifier: Apache-2.0
#include "preempt/instructions_x86_64.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace teff::preempt {
namespace {

using Kind = Instruction::Kind;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uintptr_t kHere = 0x1000;

Instruction decoded(const Bytes& bytes) { return decode(bytes, kHere); }

TEST(Instructions, CallsAndJumpsNameTheirTargets) {
    const Instruction call = decoded({0xe8, 0xfb, 0x0f, 0, 0});
    EXPECT_EQ(call.kind, Kind::direct);
    EXPECT_EQ(call.place, kHere + 0x1000);
    const Instruction near_jump = decoded({0x74, 0xfe});
    EXPECT_EQ(near_jump.kind, Kind::direct);
    EXPECT_EQ(near_jump.place, kHere);
    const Instruction far_condition = decoded({0x0f, 0x85, 0, 1, 0, 0});
    EXPECT_EQ(far_condition.kind, Kind::direct);
    EXPECT_EQ(far_condition.place, kHere + 0x106);
    const Instruction slot = decoded({0xff, 0x15, 0, 1, 0, 0});
    EXPECT_EQ(slot.kind, Kind::through_slot);
    EXPECT_EQ(slot.place, kHere + 0x106);
    EXPECT_EQ(decoded({0xff, 0xd0}).kind, Kind::indirect);                   // call *%rax
    EXPECT_EQ(decoded({0xff, 0x24, 0xc5, 0, 0, 0, 0}).kind, Kind::indirect); // jmp *0(,%rax,8)
    EXPECT_EQ(decoded({0xff, 0x53, 0x10}).kind, Kind::indirect);             // call *16(%rbx)
    const Instruction by_register = decoded({0x41, 0xff, 0xe1});             // jmp *%r9
    EXPECT_EQ(by_register.kind, Kind::indirect_by_jump);
    EXPECT_EQ(by_register.target, 9);
}

TEST(Instructions, SumsNameTheirRegister) {
    EXPECT_EQ(decoded({0x48, 0x01, 0xd0}).sum, 0);                  // add %rdx,%rax
    EXPECT_EQ(decoded({0x4c, 0x03, 0xc8}).sum, 9);                  // add %rax,%r9
    EXPECT_EQ(decoded({0x48, 0x01, 0x10}).sum, Instruction::kNone); // add %rdx,(%rax)
}

TEST(Instructions, TheThreadsAreaIsSeen) {
    EXPECT_TRUE(decoded({0x64, 0x8b, 0x04, 0x25, 0xfc, 0xff, 0xff, 0xff}).uses_thread_area);
    EXPECT_TRUE(decoded({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}).uses_thread_area);
    EXPECT_TRUE(decoded({0x64, 0x83, 0x00, 0x01}).uses_thread_area);       // addl $1,%fs:(%rax)
    EXPECT_TRUE(decoded({0xf3, 0x48, 0x0f, 0xae, 0xc0}).uses_thread_area); // rdfsbase %rax
    EXPECT_FALSE(decoded({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}).uses_thread_area);
    // At the stack guard's distance from a register.
    EXPECT_TRUE(decoded({0x64, 0x48, 0x8b, 0x40, 0x28}).uses_thread_area);
    EXPECT_FALSE(decoded({0x48, 0x8b, 0x40, 0x28}).uses_thread_area);
}

TEST(Instructions, AddressesAndConstantsAreSeen) {
    const Instruction lea = decoded({0x48, 0x8d, 0x3d, 0xf9, 0, 0, 0});
    EXPECT_TRUE(lea.makes_address);
    EXPECT_EQ(lea.place, kHere + 0x100);
    const Instruction load = decoded({0x48, 0x8b, 0x3d, 0xf9, 0, 0, 0});
    EXPECT_FALSE(load.makes_address);
    EXPECT_TRUE(load.has_place);
    const Instruction constant = decoded({0xbf, 0x36, 0x11, 0x40, 0});
    EXPECT_TRUE(constant.has_constant);
    EXPECT_EQ(constant.constant, 0x401136u);
    const Instruction wide = decoded({0x48, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0x80});
    EXPECT_EQ(wide.constant, 0x8000'0000'0000'0001u);
    // A place before a constant counts from the end of both.
    const Instruction both = decoded({0xc7, 0x05, 0xf6, 0, 0, 0, 1, 0, 0, 0});
    EXPECT_EQ(both.place, kHere + 0x100);
}

TEST(Instructions, WhatIsCutOffIsUnknown) {
    const Bytes whole = {0x64, 0x48, 0xc7, 0x04, 0x25, 0, 0, 0, 0, 1, 0, 0, 0};
    EXPECT_EQ(decoded(whole).length, whole.size());
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        EXPECT_EQ(decode({whole.data(), bytes}, kHere).kind, Kind::unknown) << bytes;
    EXPECT_EQ(decoded(Bytes(16, 0x66)).kind, Kind::unknown);
}

// What objdump says of one instruction.
struct Line {
    std::uintptr_t address = 0;
    Bytes bytes;
    std::string text;
};

bool parse(const char* line, Line& result) {
    const char* at = std::strstr(line, ":\t");
    if (at == nullptr) return false;
    result.address = std::strtoul(line, nullptr, 16);
    result.bytes.clear();
    for (at += 2; *at != '\t' && *at != '\n' && *at != '\0';) {
        char* end = nullptr;
        result.bytes.push_back(static_cast<std::uint8_t>(std::strtoul(at, &end, 16)));
        if (end == at) return false;
        at = end + std::strspn(end, " ");
    }
    if (*at != '\t') return false;
    // Objdump shows the instruction before one of the x87 that waits for it as one with that.
    constexpr std::uint8_t kWait = 0x9b;
    if (result.bytes.size() > 1 && result.bytes.front() == kWait) {
        result.bytes.erase(result.bytes.begin());
        ++result.address;
    }
    result.text = at + 1;
    return result.text.find("(bad)") == std::string::npos;
}

bool reaches_thread_area(const std::string& text) {
    const std::size_t at = text.find("%fs:");
    if (at == std::string::npos || text.starts_with("nop")) return false;
    const std::size_t after = at + std::strlen("%fs:0x28");
    const bool is_guard = text.compare(at, std::strlen("%fs:0x28"), "%fs:0x28") == 0 &&
                          (after >= text.size() || text[after] == ',' || text[after] == '\n' || text[after] == ' ');
    return !is_guard;
}

// Compares with objdump on a whole file. TEFF_TEST_DECODER_FILE names another file.
TEST(Instructions, LengthsAgreeWithObjdump) {
    const char* const named = std::getenv("TEFF_TEST_DECODER_FILE");
    const std::string file = named != nullptr ? named : "/lib/x86_64-linux-gnu/libm.so.6";
    const std::string command = "objdump -d -w " + file + " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    ASSERT_NE(pipe, nullptr);
    std::vector<char> text(1 << 16);
    std::size_t count = 0, unknown = 0;
    Line line;
    while (std::fgets(text.data(), static_cast<int>(text.size()), pipe.get()) != nullptr) {
        if (!parse(text.data(), line)) continue;
        ++count;
        const std::size_t length = line.bytes.size();
        line.bytes.resize(length + 15, 0x90);
        const Instruction instruction = decode(line.bytes, line.address);
        if (instruction.kind == Kind::unknown) {
            ++unknown;
            continue;
        }
        ASSERT_EQ(instruction.length, length) << text.data();
        ASSERT_EQ(instruction.uses_thread_area, reaches_thread_area(line.text)) << text.data();
    }
    if (count == 0) GTEST_SKIP() << "objdump did not disassemble " << file;
    EXPECT_LE(unknown, count / 1000);
    RecordProperty("instructions", static_cast<int>(count));
    RecordProperty("unknown", static_cast<int>(unknown));
}

} // namespace
} // namespace teff::preempt
