// SPDX-License-Identifier: Apache-2.0
#include "mem/block_cache.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace teff::mem {
namespace {

constexpr BlockSize kSizes[kBlockSizes] = {BlockSize::k192,       BlockSize::k320,    BlockSize::k576,
                                           BlockSize::k1088,      BlockSize::kRecord, BlockSize::kBigRecord,
                                           BlockSize::kDetachment};

std::size_t bytes_of(BlockSize size) { return kBlockBytes[static_cast<unsigned>(size)]; }

// Gives back all blocks when it is destroyed, so that tests do not see each other's blocks.
struct Cache : BlockCache {
    ~Cache() { hand_over_all(); }
};

TEST(BlockCache, BlocksAreAlignedDistinctAndWritable) {
    Cache cache;
    for (const BlockSize size : kSizes) {
        std::vector<char*> blocks;
        for (int i = 0; i < 200; ++i) {
            blocks.push_back(static_cast<char*>(cache.take(size)));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % base::kCacheLine, 0u);
            std::memset(blocks.back(), i, bytes_of(size));
        }
        for (int i = 0; i < 200; ++i) {
            const char* block = blocks[static_cast<std::size_t>(i)];
            const auto same = [i](char byte) { return byte == static_cast<char>(i); };
            EXPECT_TRUE(std::all_of(block, block + bytes_of(size), same)) << "block " << i << " overlaps another";
        }
        for (char* block : blocks)
            cache.give_back(block, size);
    }
}

TEST(BlockCache, TheBlockGivenBackLastIsTakenFirst) {
    Cache cache;
    void* first = cache.take(BlockSize::k192);
    void* second = cache.take(BlockSize::k192);
    cache.give_back(first, BlockSize::k192);
    cache.give_back(second, BlockSize::k192);
    EXPECT_EQ(cache.take(BlockSize::k192), second);
    EXPECT_EQ(cache.take(BlockSize::k192), first);
    cache.give_back(first, BlockSize::k192);
    cache.give_back(second, BlockSize::k192);
}

TEST(BlockCache, ManyRoundsMapNoMoreThanTheFirst) {
    Cache cache;
    std::vector<void*> blocks(1'000);
    std::size_t after_first_round = 0;
    for (int round = 0; round < 200; ++round) {
        for (const BlockSize size : kSizes) {
            for (void*& block : blocks)
                block = cache.take(size);
            for (void* block : blocks)
                cache.give_back(block, size);
        }
        if (round == 0) after_first_round = block_bytes_mapped();
    }
    EXPECT_GE(after_first_round, blocks.size() * (192 + 320 + 576 + 1088));
    EXPECT_EQ(block_bytes_mapped(), after_first_round);
}

// The producer takes blocks and the consumer gives them back: they return to the producer through
// the depot.
TEST(BlockCache, BlocksThatWanderComeHome) {
    Cache producer, consumer;
    constexpr int kBatch = 300;
    std::set<void*> seen;
    std::size_t after_first_rounds = 0;
    for (int round = 0; round < 1'000; ++round) {
        std::vector<void*> travelling;
        for (int i = 0; i < kBatch; ++i)
            travelling.push_back(producer.take(BlockSize::k320));
        for (void* block : travelling)
            consumer.give_back(block, BlockSize::k320);
        seen.insert(travelling.begin(), travelling.end());
        if (round == 2) after_first_rounds = block_bytes_mapped();
    }
    EXPECT_EQ(block_bytes_mapped(), after_first_rounds);
    EXPECT_LE(seen.size(), 3u * kBatch) << "300 are in use at a time, and each cache keeps some";
}

TEST(BlockCache, AWorkerThatEndsLeavesItsBlocksToOthers) {
    std::set<void*> left;
    {
        Cache ended;
        std::vector<void*> blocks;
        for (int i = 0; i < 100; ++i)
            blocks.push_back(ended.take(BlockSize::k1088));
        for (void* block : blocks)
            ended.give_back(block, BlockSize::k1088);
        left.insert(blocks.begin(), blocks.end());
    }
    const std::size_t before = block_bytes_mapped();
    Cache next;
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i)
        blocks.push_back(next.take(BlockSize::k1088));
    EXPECT_EQ(block_bytes_mapped(), before);
    EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(), [&](void* block) { return left.contains(block); }));
    for (void* block : blocks)
        next.give_back(block, BlockSize::k1088);
}

TEST(BlockCache, WorkersThatNeedFewBlocksShareTheirMapping) {
    for (const BlockSize size : kSizes) {
        const std::size_t before = block_bytes_mapped();
        Cache caches[8];
        std::set<void*> blocks;
        for (Cache& cache : caches)
            for (int i = 0; i < 8; ++i)
                blocks.insert(cache.take(size));
        EXPECT_EQ(blocks.size(), 64u);
        EXPECT_LE(block_bytes_mapped() - before, 64 * bytes_of(size));
        for (Cache& cache : caches)
            for (int i = 0; i < 8; ++i) {
                cache.give_back(*blocks.begin(), size);
                blocks.erase(blocks.begin());
            }
    }
}

// Several threads pass blocks to each other; each block carries its holder's mark while it is held.
TEST(BlockCache, ThreadsThatPassBlocksAroundNeverShareOne) {
    constexpr int kThreads = 4, kRounds = 20'000;
    std::mutex lock;
    std::deque<void*> post;
    std::atomic<int> spoiled{0};
    std::vector<std::thread> threads;
    const std::size_t before = block_bytes_mapped();
    for (int me = 0; me < kThreads; ++me)
        threads.emplace_back([&, me] {
            Cache cache;
            for (int round = 0; round < kRounds; ++round) {
                auto* mine = static_cast<int*>(cache.take(BlockSize::k192));
                mine[0] = mine[47] = me;
                void* theirs = nullptr;
                if (mine[0] != me || mine[47] != me) ++spoiled;
                {
                    const std::lock_guard guard(lock);
                    post.push_back(mine);
                    if (post.size() > 64) {
                        theirs = post.front();
                        post.pop_front();
                    }
                }
                if (theirs != nullptr) cache.give_back(theirs, BlockSize::k192);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(spoiled.load(), 0);
    EXPECT_EQ(std::set<void*>(post.begin(), post.end()).size(), post.size());
    EXPECT_LE(block_bytes_mapped() - before, 200u * (64 + kThreads * 192)) << "memory follows what is in use";
    Cache cache;
    for (void* block : post)
        cache.give_back(block, BlockSize::k192);
}

#ifndef TEFF_SANITIZED // sanitizers replace malloc
// The process may map no more memory, but has a megabyte of freed memory.
TEST(BlockCache, TakesSingleBlocksWhereNothingCanBeMapped) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::vector<void*> pieces(2'000);
        for (void*& piece : pieces)
            piece = std::malloc(512);
        void* const last = std::malloc(512); // keeps the heap from shrinking
        for (void* piece : pieces)
            std::free(piece);
        const rlimit none = {1, 1};
        if (last == nullptr || setrlimit(RLIMIT_AS, &none) != 0) _exit(2);
        BlockCache cache;
        char* before = nullptr;
        for (int i = 0; i < 2'000; ++i) {
            auto* const block = static_cast<char*>(cache.take(BlockSize::k192));
            if (block == before || reinterpret_cast<std::uintptr_t>(block) % base::kCacheLine != 0) _exit(3);
            std::memset(block, i, bytes_of(BlockSize::k192));
            before = block;
        }
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

} // namespace
} // namespace teff::mem
