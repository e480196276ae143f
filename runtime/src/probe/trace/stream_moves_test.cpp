// SPDX-License-Identifier: Apache-2.0
// Tests that a stream records on which processors its thread runs.
#include "probe/trace/stream.h"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <utility>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

using StreamMovesTest = StreamTest;

// However the number is found, the thread is there.
TEST_F(StreamMovesTest, AThreadTellsWhereItRunsWhenItHasMoved) {
    if (pinned_.processors.size() < 2) GTEST_SKIP() << "one processor";
    const std::ptrdiff_t before = std::exchange(where_processor_is, 0);
    for (const bool kept : {false, true}) {
        if (kept) look_for_processor();
        const auto stream = open(kept ? 5 : 4);
        stream->group_begin(origin_.ticks, 1); // opens the chunk
        const unsigned a = pinned_.processors.front(), b = pinned_.processors.back();
        Pinned::to(a);
        stream->start(origin_.ticks + 1, 1, 0);
        stream->wait(origin_.ticks + 2, origin_.ticks + 3, TEFF_WAIT_TASKWAIT, 1, 0, 0);
        Pinned::to(b);
        stream->idle(origin_.ticks + 3, origin_.ticks + 5, 0);
        stream->run(origin_.ticks + 1, origin_.ticks + 6, 0, 1, 0);
        Pinned::to(a);
        stream->chunk(origin_.ticks + 6, origin_.ticks + 8, 1, 1, 0, 1);
        const ReadStream all = read(kept ? "stream-0005.bin" : "stream-0004.bin");
        ASSERT_EQ(all.error, "");
        ASSERT_EQ(all.moves.size(), 3u);
        const unsigned processors[] = {a, b, a}, times[] = {1, 5, 8};
        for (std::size_t i = 0; i < all.moves.size(); ++i) {
            EXPECT_EQ(all.moves[i].as<teff_rec_moved>().processor, processors[i]);
            EXPECT_EQ(all.moves[i].when(), times[i]);
        }
        EXPECT_EQ(all.of_type(TEFF_REC_RUN).at(0).as<teff_rec_run>().ticks_and_cpu >> 48, b);
    }
    where_processor_is = before;
}

TEST_F(StreamMovesTest, EachChunkTellsWhereTheThreadRuns) {
    const auto stream = open();
    for (std::size_t i = 0; i < 2 * kSmallPerChunk; ++i)
        stream->start(origin_.ticks, 1, 2);
    const ReadStream all = read();
    ASSERT_EQ(all.chunks.size(), 3u);
    for (std::size_t chunk = 0; chunk < 3; ++chunk)
        EXPECT_TRUE(std::any_of(all.moves.begin(), all.moves.end(), [&](auto& move) { return move.chunk == chunk; }));
}

} // namespace
} // namespace teff::probe::trace
