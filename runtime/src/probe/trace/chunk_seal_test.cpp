// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/chunk_seal.h"

#include <algorithm>
#include <cstring>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

class ChunkSeal : public StreamTest {
  protected:
    static std::string chunk_of(const std::string& file, std::size_t number) {
        return file.substr(chunks_in_order(file).at(number), TEFF_TRACE_CHUNK_BYTES);
    }
    static teff_chunk_header header_of(const std::string& chunk) {
        teff_chunk_header header;
        std::memcpy(&header, chunk.data(), sizeof header);
        return header;
    }
    static bool is_intact(const std::string& chunk) {
        const teff_chunk_header header = header_of(chunk);
        return chunk_checksum(chunk.data(), header.sealed_bytes) == header.checksum;
    }
    static std::uint64_t seal(const OpenStream& stream) {
        const Guest guest;
        const auto stack = std::make_unique<ApartStack>();
        std::uint64_t bytes = 0;
        auto work = [&] { bytes = stream->seal(); };
        EXPECT_EQ(run_apart(guest, *stack, work), 0);
        return bytes;
    }
    std::string file() { return contents(folder_.file("stream-0003.bin")); }
};

TEST_F(ChunkSeal, EveryChangedByteIsFound) {
    const OpenStream stream = open();
    stream->start(base::ticks(), 1, 0);
    const std::uint64_t bytes = seal(stream);
    std::string chunk = file();
    ASSERT_EQ(header_of(chunk).sealed_bytes, bytes);
    EXPECT_TRUE(is_intact(chunk));
    for (std::size_t at = 0; at < bytes; ++at) {
        if (at / 16 == 3) continue; // the seal itself
        chunk[at] = static_cast<char>(chunk[at] ^ 1 << at % 8);
        EXPECT_FALSE(is_intact(chunk)) << at;
        chunk[at] = static_cast<char>(chunk[at] ^ 1 << at % 8);
    }
}

TEST_F(ChunkSeal, AllChunksHaveOneWhenTheRecordingEnds) {
    const OpenStream stream = open();
    for (std::uint64_t task = 1; task <= 4 * kSmallPerChunk; ++task)
        stream->run(1, 2, 0, task * 1000, task); // no short records
    const std::uint64_t bytes = seal(stream);
    const std::string all = file();
    const ReadStream read = this->read();
    ASSERT_EQ(read.error, "");
    ASSERT_GT(read.chunks.size(), 4u);
    EXPECT_EQ((bytes - 1) / TEFF_TRACE_CHUNK_BYTES, read.chunks.size() - 1);
    for (std::size_t number = 0; number < read.chunks.size(); ++number) {
        const bool is_last = number + 1 == read.chunks.size();
        EXPECT_EQ(read.chunks[number].sealed_bytes, is_last ? bytes % TEFF_TRACE_CHUNK_BYTES : TEFF_TRACE_CHUNK_BYTES);
        EXPECT_TRUE(is_intact(chunk_of(all, number))) << number;
    }
    const std::string last = chunk_of(all, read.chunks.size() - 1);
    const auto end = static_cast<std::ptrdiff_t>(bytes % TEFF_TRACE_CHUNK_BYTES);
    EXPECT_EQ(std::count_if(last.begin() + end, last.end(), [](char c) { return c != 0; }), 0)
        << "no record is behind the last one";
}

TEST_F(ChunkSeal, ACreationThatIsUnderWayMayStillEnd) {
    const OpenStream stream = open();
    stream->create(1, TEFF_TASK_IMPLICIT, 7, 1, 0, 0); // 0 is a number of a thread
    stream->creation_begins(2, 0, 8, 7, 0);
    stream->start(3, 8, 0);
    const std::uint64_t bytes = seal(stream);
    stream->creation_ends(50);
    stream->start(60, 9, 0);
    const std::string chunk = file();
    EXPECT_TRUE(is_intact(chunk));
    const std::uint64_t sealed = header_of(chunk).sealed_bytes;
    ASSERT_LT(sealed, bytes);
    teff_rec_create creation;
    std::memcpy(&creation, chunk.data() + sealed, sizeof creation);
    EXPECT_EQ(creation.task, 8u);
    EXPECT_NE(creation.cost_ticks, 0u);
}

TEST_F(ChunkSeal, ATaskRunAtOnceThatIsTheLastRecordMayStillEnd) {
    const OpenStream stream = open();
    stream->create(1, 0, 7, 1, 5, 1);
    stream->run(2, 3, 0, 7, 1);
    const char* const record = stream->task_begins_at_once(4, 0, 8, 1, 5, 1);
    stream->creation_ends(6);
    const std::uint64_t bytes = seal(stream);
    const bool is_whole = stream->task_ends_at_once(record, 6, 10); // unless the thread has moved
    stream->start(60, 9, 0);
    const std::string chunk = file();
    EXPECT_TRUE(is_intact(chunk));
    const std::uint64_t sealed = header_of(chunk).sealed_bytes;
    ASSERT_EQ(sealed, bytes - sizeof(teff_rec_short_task));
    teff_rec_short_task task;
    std::memcpy(&task, chunk.data() + sealed, sizeof task);
    EXPECT_EQ(task.cost_ticks, 2u);
    EXPECT_EQ(task.ran, is_whole ? 5u : 0u);
}

TEST_F(ChunkSeal, AFileThatIsGoneHasNoLength) {
    const OpenStream stream = open();
    EXPECT_EQ(seal(stream), 0u) << "nothing was recorded";
    stream->start(base::ticks(), 1, 0);
    std::filesystem::remove(folder_.file("stream-0003.bin"));
    EXPECT_EQ(seal(stream), 0u);
}

} // namespace
} // namespace teff::probe::trace
