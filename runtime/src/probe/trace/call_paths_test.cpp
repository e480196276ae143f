// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/call_paths.h"

#include <alloca.h>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "probe/trace/site_table.h"

namespace teff::probe::trace {
namespace {

constexpr unsigned kDepth = 32;

class CallPathsTest : public testing::Test {
  protected:
    void SetUp() override {
        prepare_to_find_modules();
        if (!finds_modules_without_lock()) GTEST_SKIP() << "objects cannot be found without a lock";
        paths_ = CallPaths::make(kDepth);
        ASSERT_NE(paths_, nullptr);
        paths_->take_for_own(0, 0); // the library is a part of this program
    }
    void TearDown() override { CallPaths::unmake(paths_); }

    CallPaths* paths_ = nullptr;
};

std::vector<std::uint64_t> frames_of(CallPaths& paths, const CallPaths::Path& path) {
    std::vector<std::uint64_t> frames;
    for (std::uint32_t i = 0; i < path.frames; ++i)
        frames.push_back(paths.frame(i).address);
    return frames;
}

// As a function of the runtime: its caller is the construct's function.
[[gnu::noinline]] CallPaths::Path construct(CallPaths& paths, const void** call_site = nullptr) {
    const void* const site = __builtin_return_address(0);
    if (call_site != nullptr) *call_site = site;
    const CallPaths::Path path = paths.walk(site, nullptr, 1);
    asm volatile("" ::: "memory");
    return path;
}

[[gnu::noinline]] CallPaths::Path wrapper(CallPaths& paths) {
    const CallPaths::Path path = construct(paths);
    asm volatile("" ::: "memory");
    return path;
}

[[gnu::noinline]] CallPaths::Path first_caller(CallPaths& paths) {
    const CallPaths::Path path = wrapper(paths);
    asm volatile("" ::: "memory");
    return path;
}

// The caller's stack pointer counts from %rbp, by how much it cannot know before.
[[gnu::noinline]] CallPaths::Path caller_with_a_frame(CallPaths& paths, std::size_t bytes) {
    auto* const room = static_cast<volatile char*>(alloca(bytes));
    room[0] = 1;
    const CallPaths::Path path = wrapper(paths);
    room[bytes - 1] = room[0];
    return path;
}

// Its frame is aligned, so its caller's stands in memory.
[[gnu::noinline]] CallPaths::Path caller_that_aligns(CallPaths& paths) {
    alignas(64) volatile char room[64];
    room[0] = 1;
    const CallPaths::Path path = wrapper(paths);
    room[1] = room[0];
    return path;
}

[[gnu::noinline]] CallPaths::Path recursive(CallPaths& paths, int depth) {
    const CallPaths::Path path = depth == 0 ? construct(paths) : recursive(paths, depth - 1);
    asm volatile("" ::: "memory");
    return path;
}

TEST_F(CallPathsTest, HasTheCallsAboveAConstruct) {
    const CallPaths::Path path = first_caller(*paths_);
    const auto frames = frames_of(*paths_, path);
    ASSERT_GE(frames.size(), 2u);
    const auto is_in = [](std::uint64_t address, auto* function) {
        const auto begin = reinterpret_cast<std::uint64_t>(function);
        return address > begin && address < begin + 256;
    };
    EXPECT_TRUE(is_in(frames[0], &first_caller));
}

TEST_F(CallPathsTest, OneConstructHasAPathForEachCaller) {
    const CallPaths::Path one = first_caller(*paths_);
    EXPECT_EQ(first_caller(*paths_).frames, one.frames);
    EXPECT_NE(caller_that_aligns(*paths_).digest, one.digest);
}

// Two calls from one place have one path, however their frames differ in size.
TEST_F(CallPathsTest, SeesThroughFramesOfAllKinds) {
    std::vector<std::uint64_t> digests;
    std::vector<std::uint32_t> lengths;
    for (std::size_t bytes : {16, 4000, 100}) {
        const CallPaths::Path path = caller_with_a_frame(*paths_, bytes);
        digests.push_back(path.digest);
        EXPECT_EQ(path.flags & TEFF_PATH_LOST, 0);
    }
    EXPECT_EQ(digests[0], digests[1]);
    EXPECT_EQ(digests[0], digests[2]);
    const CallPaths::Path aligned = caller_that_aligns(*paths_);
    const CallPaths::Path plain = first_caller(*paths_);
    EXPECT_EQ(aligned.frames, plain.frames);
    EXPECT_EQ(aligned.flags, plain.flags);
}

TEST_F(CallPathsTest, EndsAtTheDepthAskedFor) {
    EXPECT_EQ(recursive(*paths_, 3).flags & TEFF_PATH_CUT, 0);
    const CallPaths::Path path = recursive(*paths_, 2 * kDepth);
    EXPECT_EQ(path.frames, kDepth);
    EXPECT_EQ(path.flags, TEFF_PATH_CUT);
}

// A thread's own begin is the end of a path, and nothing is lost there.
TEST_F(CallPathsTest, EndsAtTheBottomOfAStack) {
    CallPaths::Path path{};
    std::thread([&] { path = first_caller(*paths_); }).join();
    EXPECT_GT(path.frames, 1u);
    EXPECT_LT(path.frames, kDepth);
    EXPECT_EQ(path.flags, 0);
}

TEST_F(CallPathsTest, EndsWhereTheRuntimeHasCalled) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&first_caller);
    paths_->take_for_own(begin, begin + 256);
    const CallPaths::Path path = first_caller(*paths_);
    EXPECT_EQ(path.frames, 0u);
    EXPECT_EQ(path.flags, TEFF_PATH_OF_TASK);
}

TEST_F(CallPathsTest, ACallThatWasNotMadeHasNoPath) {
    const CallPaths::Path path = paths_->walk(paths_, nullptr, 1);
    EXPECT_EQ(path.frames, 0u);
    EXPECT_EQ(path.flags, 0);
}

TEST_F(CallPathsTest, RemembersTheSiteOfAPath) {
    const void* site = nullptr;
    const CallPaths::Path path = construct(*paths_, &site);
    EXPECT_EQ(paths_->find(site, nullptr, path), 0u);
    paths_->add(site, nullptr, path, 7);
    EXPECT_EQ(paths_->find(site, nullptr, path), 7u);
    EXPECT_EQ(paths_->find(site, paths_, path), 0u);
    EXPECT_EQ(paths_->find(site, nullptr, paths_->without_frames(site, nullptr, 1)), 0u);
}

// What is remembered of rules outlives neither their number nor a doubt.
TEST_F(CallPathsTest, PathsStayTheSameWhenRulesAreForgotten) {
    const void* site = nullptr;
    std::uint64_t first = 0;
    for (std::uint32_t round = 1; round < 4; ++round) {
        const auto again = [&]() __attribute__((noinline)) {
            const CallPaths::Path path = construct(*paths_, &site);
            return path.digest;
        };
        const std::uint64_t digest = again();
        if (first == 0) first = digest;
        EXPECT_EQ(digest, first);
    }
}

// A digest tells objects by what they are: in which order they were met, or whether they were
// forgotten meanwhile, it does not say.
TEST_F(CallPathsTest, DigestsStayTheSameWhenObjectsAreForgotten) {
    const void* const here = reinterpret_cast<const void*>(&first_caller);
    const void* const there = dlsym(RTLD_DEFAULT, "getenv");
    CallPaths* const other = CallPaths::make(kDepth);
    ASSERT_NE(other, nullptr);
    other->take_for_own(0, 0);
    const std::uint64_t of_there = other->without_frames(there, nullptr, 1).digest;
    std::vector<std::uint64_t> digests;
    for (CallPaths* paths : {paths_, other})
        digests.push_back(first_caller(*paths).digest);
    EXPECT_EQ(digests[0], digests[1]);
    EXPECT_EQ(paths_->without_frames(there, nullptr, 1).digest, of_there);
    EXPECT_NE(paths_->without_frames(here, nullptr, 1).digest, of_there);
    EXPECT_NE(paths_->without_frames(here, there, 1).digest, of_there);
    CallPaths::unmake(other);
}

TEST_F(CallPathsTest, PathsThatAreNotKeptAreCut) {
    const void* site = nullptr;
    const CallPaths::Path path = construct(*paths_, &site);
    const CallPaths::Path cut = paths_->cut(site, nullptr, 1);
    EXPECT_EQ(cut.frames, 0u);
    EXPECT_EQ(cut.flags, TEFF_PATH_CUT);
    EXPECT_NE(cut.digest, path.digest);
    EXPECT_NE(cut.digest, paths_->without_frames(site, nullptr, 1).digest);
}

TEST_F(CallPathsTest, HasRoomForSoManySites) {
    std::uint32_t site = 0;
    while (paths_->has_room()) {
        const CallPaths::Path path{.digest = ++site, .frames = 0, .flags = 0};
        paths_->add(paths_, nullptr, path, site);
    }
    EXPECT_GE(site, 1000u);
    for (std::uint32_t more = 0; more < 5000; ++more) // ends, and finds what it has
        paths_->add(paths_, paths_, {.digest = more, .frames = 0, .flags = 0}, more + 1);
    EXPECT_EQ(paths_->find(paths_, nullptr, {.digest = 5, .frames = 0, .flags = 0}), 5u);
    EXPECT_EQ(paths_->find(paths_, nullptr, {.digest = 1u << 20, .frames = 0, .flags = 0}), 0u);
}

} // namespace
} // namespace teff::probe::trace
