// SPDX-License-Identifier: Apache-2.0
#include "mem/omp_allocator.h"

#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/listener.h"
#include "base/standard_error.h"

namespace teff::mem {
namespace {

constexpr AllocatorTrait trait(TraitKey key, std::uintptr_t value) { return {static_cast<std::int32_t>(key), value}; }
constexpr AllocatorTrait trait(Fallback value) { return trait(TraitKey::fallback, static_cast<std::uintptr_t>(value)); }

template <class... Traits> AllocatorHandle make(Traits... traits) {
    const AllocatorTrait list[] = {traits...};
    return make_allocator(0, sizeof...(traits), list);
}

bool aligned(const void* memory, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

TEST(OmpAllocator, GivesAlignedMemoryThatIsOnesOwn) {
    for (std::size_t alignment = 1; alignment <= 65536; alignment *= 4) {
        auto* memory = static_cast<char*>(allocate(kDefaultAllocator, alignment, 100, Content::any));
        ASSERT_NE(memory, nullptr);
        EXPECT_TRUE(aligned(memory, alignment)) << alignment;
        std::memset(memory, 0xff, 100);
        EXPECT_EQ(allocator_of(memory), kDefaultAllocator) << "writing to it must not touch the header";
        free(memory);
    }
    EXPECT_EQ(allocate(kDefaultAllocator, 1, 0, Content::any), nullptr);
    free(nullptr);
}

TEST(OmpAllocator, ZeroedMemoryIsZero) {
    auto* memory = static_cast<char*>(allocate(kDefaultAllocator, 256, 1000, Content::zero));
    for (int i = 0; i < 1000; ++i)
        ASSERT_EQ(memory[i], 0);
    free(memory);
}

TEST(OmpAllocator, ReallocationKeepsTheContentUpToTheSmallerSize) {
    auto* memory = static_cast<char*>(allocate(kDefaultAllocator, 1, 6, Content::any));
    std::memcpy(memory, "grain", 6);
    memory = static_cast<char*>(reallocate(kDefaultAllocator, memory, 100'000));
    EXPECT_STREQ(memory, "grain");
    memory = static_cast<char*>(reallocate(kDefaultAllocator, memory, 3));
    EXPECT_EQ(std::memcmp(memory, "gra", 3), 0);
    free(memory);
}

TEST(OmpAllocator, AbsurdSizesGiveNull) {
    EXPECT_EQ(allocate(kDefaultAllocator, 4096, ~std::size_t{0} - 100, Content::any), nullptr);
}

TEST(OmpAllocator, APoolIsLimitedAndRefilledByFree) {
    const AllocatorHandle pool = make(trait(TraitKey::pool_size, 1000), trait(Fallback::null));
    ASSERT_NE(pool, kNullAllocator);
    for (int round = 0; round < 3; ++round) {
        void* most = allocate(pool, 1, 900, Content::any);
        ASSERT_NE(most, nullptr);
        EXPECT_EQ(allocator_of(most), pool);
        EXPECT_EQ(allocate(pool, 1, 101, Content::any), nullptr);
        void* rest = allocate(pool, 1, 100, Content::any);
        EXPECT_NE(rest, nullptr);
        free(most);
        free(rest);
    }
    destroy_allocator(pool);
}

TEST(OmpAllocator, PartsHaveASize) {
    for (const std::uintptr_t bytes : {std::uintptr_t{1}, std::uintptr_t{1} << 20, ~std::uintptr_t{0}}) {
        const AllocatorHandle parts = make(trait(TraitKey::partition, 18), trait(TraitKey::part_size, bytes));
        ASSERT_NE(parts, kNullAllocator);
        void* const memory = allocate(parts, 1, 3 << 20, Content::any);
        ASSERT_NE(memory, nullptr);
        std::memset(memory, 1, 3 << 20);
        free(memory);
        destroy_allocator(parts);
    }
    EXPECT_EQ(make(trait(TraitKey::part_size, 0)), kNullAllocator);
}

TEST(OmpAllocator, OfAPartitionerIsRefusedWithWords) {
    base::Listener listener;
    base::note_standard_error();
    EXPECT_EQ(make(trait(TraitKey::partition, 23)), kNullAllocator);
    EXPECT_NE(listener.heard().find("omp_atv_partitioner"), std::string::npos);
    EXPECT_EQ(make(trait(TraitKey::partitioner, 0x1000)), kNullAllocator);
    const AllocatorHandle none =
        make(trait(TraitKey::partitioner, ~std::uintptr_t{0}), trait(TraitKey::partitioner_arg, 0));
    EXPECT_NE(none, kNullAllocator) << "omp_atv_default: no partitioner";
    destroy_allocator(none);
}

TEST(OmpAllocator, AnEmptyPoolFallsBackAsItsTraitSays) {
    const AllocatorHandle to_default = make(trait(TraitKey::pool_size, 10));
    void* memory = allocate(to_default, 1, 100, Content::any);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(allocator_of(memory), kDefaultAllocator);
    free(memory);
    const AllocatorHandle to_other =
        make(trait(TraitKey::pool_size, 10), trait(Fallback::allocator), trait(TraitKey::fb_data, to_default));
    void* small = allocate(to_other, 1, 10, Content::any);
    memory = allocate(to_other, 1, 10, Content::any);
    EXPECT_EQ(allocator_of(small), to_other);
    EXPECT_EQ(allocator_of(memory), to_default);
    free(small);
    free(memory);
    destroy_allocator(to_other);
    destroy_allocator(to_default);
}

TEST(OmpAllocator, ChangingASizeCostsThePoolTheDifference) {
    const AllocatorHandle pool = make(trait(TraitKey::pool_size, 100), trait(Fallback::null));
    auto* memory = static_cast<char*>(allocate(pool, 1, 60, Content::any));
    memory[0] = 1;
    memory = static_cast<char*>(reallocate(pool, memory, 90));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(memory[0], 1);
    EXPECT_EQ(reallocate(pool, memory, 101), nullptr);
    EXPECT_EQ(allocate(pool, 1, 11, Content::any), nullptr);
    memory = static_cast<char*>(reallocate(pool, memory, 10));
    EXPECT_EQ(memory[0], 1);
    void* other = allocate(pool, 1, 90, Content::any);
    EXPECT_NE(other, nullptr);
    free(other);
    free(memory);
    memory = static_cast<char*>(allocate(pool, 1, 100, Content::any));
    EXPECT_NE(memory, nullptr) << "everything came back";
    free(memory);
    destroy_allocator(pool);
}

TEST(OmpAllocatorDeathTest, AbortFallbackEndsTheProgram) {
    const AllocatorHandle strict = make(trait(TraitKey::pool_size, 10), trait(Fallback::abort));
    EXPECT_DEATH(allocate(strict, 1, 11, Content::any), "abort_fb");
    destroy_allocator(strict);
}

TEST(OmpAllocator, TheAlignmentTraitIsALowerBound) {
    const AllocatorHandle pages = make(trait(TraitKey::alignment, 4096));
    void* memory = allocate(pages, 8, 10, Content::any);
    EXPECT_TRUE(aligned(memory, 4096));
    free(memory);
    destroy_allocator(pages);
}

long locked_KiB() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmLck:")) return std::stol(line.substr(6));
    return -1;
}

// Sanitizers replace mlock by nothing.
bool mlock_works() {
    static char page[8192];
    const long before = locked_KiB();
    const bool locked = mlock(page, sizeof page) == 0 && locked_KiB() > before;
    munlock(page, sizeof page);
    return locked;
}

TEST(OmpAllocator, PinnedMemoryIsLockedUntilItIsFreed) {
    if (!mlock_works()) GTEST_SKIP() << "nothing can be locked here";
    const AllocatorHandle pinned =
        make(trait(TraitKey::pinned, 1), trait(Fallback::null), trait(TraitKey::alignment, 256));
    const long before = locked_KiB();
    for (const AllocatorHandle handle : {pinned, kPinnedAllocator}) {
        auto* memory = static_cast<char*>(allocate(handle, 1, 20'000, Content::zero));
        ASSERT_NE(memory, nullptr) << "RLIMIT_MEMLOCK allows less than 20 kB";
        EXPECT_EQ(memory[19'999], 0);
        EXPECT_GE(locked_KiB(), before + 20);
        memory[0] = 1;
        memory = static_cast<char*>(reallocate(handle, memory, 30'000));
        EXPECT_EQ(memory[0], 1);
        free(memory);
        EXPECT_EQ(locked_KiB(), before);
    }
    destroy_allocator(pinned);
}

TEST(OmpAllocator, WhereNothingMoreMayBePinnedTheFallbackCounts) {
    rlimit before;
    getrlimit(RLIMIT_MEMLOCK, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_MEMLOCK, &none);
    const AllocatorHandle strict = make(trait(TraitKey::pinned, 1), trait(Fallback::null));
    const AllocatorHandle lenient = make(trait(TraitKey::pinned, 1));
    if (geteuid() != 0) { // root may pin any amount
        EXPECT_EQ(allocate(strict, 1, 100, Content::any), nullptr);
        EXPECT_EQ(allocate(kPinnedAllocator, 1, 100, Content::any), nullptr);
    }
    void* memory = allocate(lenient, 1, 100, Content::any);
    EXPECT_NE(memory, nullptr);
    free(memory);
    destroy_allocator(strict);
    destroy_allocator(lenient);
    setrlimit(RLIMIT_MEMLOCK, &before);
}

TEST(OmpAllocator, TraitsThatMakeNoSenseAreRefused) {
    EXPECT_EQ(make(trait(TraitKey::alignment, 48)), kNullAllocator);
    EXPECT_EQ(make(trait(TraitKey::fallback, 99)), kNullAllocator);
    EXPECT_EQ(make(AllocatorTrait{77, 0}), kNullAllocator);
    EXPECT_EQ(make_allocator(5, 0, nullptr), kNullAllocator) << "no such space";
    const AllocatorHandle usual = make(trait(TraitKey::alignment, ~std::uintptr_t{0}), trait(TraitKey::sync_hint, 4));
    EXPECT_NE(usual, kNullAllocator);
    destroy_allocator(usual);
}

} // namespace
} // namespace teff::mem
