// SPDX-License-Identifier: Apache-2.0
//
// Compares ChunkMap with the schedules themselves.
#include "loop/chunk_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace teff::loop {
namespace {

void set(WorkShare& share, Schedule schedule, std::uint64_t count, std::uint64_t chunk, unsigned members) {
    share.schedule = schedule;
    share.iterations.count = count;
    share.chunk = chunk;
    share.chunks = chunk == 0 ? 0 : count_chunks(count, chunk);
    share.members = members;
}

// Expects that the map contains exactly these consecutive chunks.
void expect_chunks(const WorkShare& share, const std::vector<Span>& chunks) {
    ChunkMap map(share);
    std::vector<std::uint64_t> table(map.table_length());
    map.fill(table.data());
    ASSERT_GE(map.chunks(), chunks.size());
    for (std::uint64_t number = 0; number < chunks.size(); ++number) {
        const Span span = chunks[number];
        ASSERT_EQ(map.start_of(number), span.first);
        ASSERT_EQ(map.chunk_of(span.first), number);
        ASSERT_EQ(map.chunk_of(span.last - 1), number);
    }
}

std::vector<Span> chunks_of_static(const WorkShare& share) {
    std::vector<Span> chunks;
    for (std::uint64_t trip = 0;; ++trip)
        for (unsigned member = 0; member < share.members; ++member) {
            Span span;
            std::uint64_t its_trip = trip;
            if (!static_take(share.iterations.count, share.chunk, share.members, member, its_trip, span)) return chunks;
            chunks.push_back(span);
        }
}

TEST(ChunkMap, Static) {
    for (unsigned members : {2u, 3u, 33u})
        for (std::uint64_t count : {1u, 2u, 7u, 100u, 1000u})
            for (std::uint64_t chunk : {0u, 1u, 3u, 2000u}) {
                WorkShare share;
                set(share, Schedule::static_, count, chunk, members);
                expect_chunks(share, chunks_of_static(share));
            }
}

TEST(ChunkMap, Dynamic) {
    WorkShare share;
    set(share, Schedule::dynamic, 100, 7, 4);
    std::vector<Span> chunks;
    for (Span span; dynamic_take(share.next, 100, 7, share.chunks, span);)
        chunks.push_back(span);
    ASSERT_EQ(chunks.size(), 15u);
    expect_chunks(share, chunks);
}

TEST(ChunkMap, Guided) {
    for (unsigned members : {2u, 5u, 33u})
        for (std::uint64_t count : {1u, 10u, 100'000u})
            for (std::uint64_t chunk : {1u, 4u}) {
                WorkShare share;
                set(share, Schedule::guided, count, chunk, members);
                std::vector<Span> chunks;
                for (Span span; guided_take(share.next, count, chunk, members, span);)
                    chunks.push_back(span);
                EXPECT_EQ(count_guided_chunks(count, chunk, members), chunks.size());
                expect_chunks(share, chunks);
            }
}

TEST(ChunkMap, GuidedTableIsShort) { EXPECT_LT(count_guided_chunks(~std::uint64_t{0}, 1, 33), 33u * 45); }

} // namespace
} // namespace teff::loop
