// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream_memory.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/trace/calls.h"
#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

constexpr std::size_t kBytes = 8192;

std::ptrdiff_t mappings() {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

TEST(StreamMemory, TakesFewMappings) {
    constexpr std::ptrdiff_t kOthers = 8; // the test's own heap
    StreamMemory memory;
    const std::ptrdiff_t before = mappings();
    for (std::size_t i = 0; i < 100 * StreamMemory::kStreamsOfOne; ++i)
        ASSERT_NE(memory.take(kBytes), nullptr);
    EXPECT_LE(mappings() - before, 100 + kOthers);
}

TEST(StreamMemory, IsZeroAndNobodyElses) {
    StreamMemory memory;
    char* last = nullptr;
    for (std::size_t i = 0; i < 3 * StreamMemory::kStreamsOfOne; ++i) {
        auto* const taken = static_cast<char*>(memory.take(kBytes));
        ASSERT_NE(taken, nullptr);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(taken) % 4096, 0u);
        ASSERT_TRUE(std::all_of(taken, taken + kBytes, [](char c) { return c == 0; }));
        std::fill_n(taken, kBytes, 'x');
        ASSERT_TRUE(last == nullptr || last[0] == 'x');
        last = taken;
    }
}

// However it was forked.
TEST(StreamMemory, AChildFindsItZero) {
    StreamMemory memory;
    auto* const first = static_cast<char*>(memory.take(kBytes));
    auto* const second = static_cast<char*>(memory.take(kBytes));
    first[0] = second[kBytes - 1] = 'x';
    if (!memory.is_kept_from_children()) GTEST_SKIP() << "this kernel does not empty memory";
    const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) _exit(first[0] == 0 && second[kBytes - 1] == 0 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(first[0], 'x');
}

TEST(StreamMemory, EndsAtItsShareOfTheMappings) {
    const ScratchFolder folder;
    std::ofstream(folder.file("few")) << "80\n";
    StreamMemory memory;
    memory.read_limit(folder.file("few").c_str());
    for (int i = 0; i < 10; ++i)
        ASSERT_NE(memory.take(kBytes), nullptr);
    EXPECT_TRUE(memory.is_used_up());
    EXPECT_EQ(memory.take(kBytes), nullptr);

    memory.read_limit("/nowhere");
    EXPECT_TRUE(memory.is_used_up()) << "what cannot be read changes nothing";
}

TEST(ReadNumber, OfAFileThatBeginsWithOne) {
    const ScratchFolder folder;
    const auto read = [&](const char* text) {
        std::ofstream(folder.file("number")) << text;
        return read_number(AT_FDCWD, folder.file("number").c_str());
    };
    EXPECT_EQ(read("65530\n"), 65'530u);
    EXPECT_EQ(read("18446744073709551615\n"), ~std::uint64_t{0});
    EXPECT_EQ(read("18446744073709551616\n"), std::nullopt);
    EXPECT_EQ(read("max\n"), std::nullopt);
    EXPECT_EQ(read(""), std::nullopt);
    EXPECT_EQ(read_number(AT_FDCWD, "/nowhere"), std::nullopt);
}

} // namespace
} // namespace teff::probe::trace
