// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/spans.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

TEST(Spans, ANameHasOneNumber) {
    Spans& spans = *Spans::make();
    std::string name = "first";
    EXPECT_EQ(spans.number_of(name.c_str()), 1u);
    EXPECT_EQ(spans.number_of("second"), 2u);
    EXPECT_EQ(spans.number_of("first"), 1u);
    name = "third";
    EXPECT_EQ(spans.number_of(name.c_str()), 3u);
    EXPECT_EQ(spans.number_of(""), 0u);
}

TEST(Spans, ALongNameIsCutAtACharacter) {
    Spans& spans = *Spans::make();
    const std::string full(Spans::kNameBytes, 'x');
    EXPECT_EQ(spans.number_of(full.c_str()), spans.number_of((full + "and more").c_str()));
    const std::string umlaut = full.substr(1) + "\xc3\xa4"; // its last character would be cut in two
    EXPECT_EQ(spans.name(spans.number_of(umlaut.c_str())).bytes, Spans::kNameBytes - 1);
}

TEST(Spans, FurtherNamesHaveNoNumber) {
    Spans& spans = *Spans::make();
    for (std::uint32_t i = 1; i <= Spans::kNames; ++i)
        EXPECT_EQ(spans.number_of(std::to_string(i).c_str()), i);
    EXPECT_EQ(spans.number_of("one more"), 0u);
    EXPECT_EQ(spans.number_of("7"), 7u);
}

TEST(Spans, EachEndFindsItsBegin) {
    Spans& spans = *Spans::make();
    std::uint32_t name = 0;
    EXPECT_FALSE(spans.close(name));
    for (std::uint32_t i = 0; i < Spans::kDepth + 2; ++i)
        EXPECT_EQ(spans.open(i + 1), i < Spans::kDepth);
    EXPECT_EQ(spans.depth(), Spans::kDepth);
    EXPECT_FALSE(spans.close(name));
    EXPECT_FALSE(spans.close(name));
    for (std::uint32_t i = Spans::kDepth; i > 0; --i) {
        EXPECT_TRUE(spans.close(name));
        EXPECT_EQ(name, i);
    }
    EXPECT_FALSE(spans.close(name));
}

class StreamSpans : public StreamTest {};

TEST_F(StreamSpans, OnlyWhatHappensInTheWindowIsRecorded) {
    const OpenStream stream = open();
    Sinks sinks;
    stream->serve(sinks);
    stream->span_begin("around", 5); // not recorded yet
    stream->begin_window(3, 7);
    sinks.add(kTrace);
    stream->span_begin("inside", 7);
    stream->span_end(7);
    stream->end_window(3, base::ticks());
    stream->silence(base::ticks());
    stream->span_end(7);
    const ReadStream found = read();
    std::string seen;
    for (const ReadRecord& record : found.records) {
        if (record.type() == TEFF_REC_WINDOW) seen += "window " + std::to_string(record.flags()) + "; ";
        if (record.type() == TEFF_REC_NAME) seen += "name; ";
        if (record.type() == TEFF_REC_SPAN) seen += "span " + std::to_string(record.flags()) + "; ";
        if (record.type() == TEFF_REC_CREATE) seen += "create; ";
    }
    EXPECT_EQ(seen, "window 1; create; name; span 5; name; span 1; span 2; window 2; ");
    EXPECT_FALSE(stream->is_heard());
}

TEST_F(StreamSpans, AnInitialTaskIsRecordedOnce) {
    const OpenStream stream = open();
    stream->begin_window(1, 7);
    stream->end_window(1, base::ticks());
    stream->begin_window(2, 7);
    stream->begin_window(3, 8);
    int creates = 0;
    for (const ReadRecord& record : read().records)
        creates += record.type() == TEFF_REC_CREATE;
    EXPECT_EQ(creates, 2);
}

TEST_F(StreamSpans, ARingHasSomePlacesAndEachChunkDefinesItsSites) {
    constexpr std::uint32_t kPlaces = 4;
    const OpenStream stream = open();
    Sinks sinks;
    stream->serve(sinks);
    stream->keep_last(kPlaces);
    stream->begin_thread();
    sinks.add(kTrace);
    stream->span_begin("long", 1);
    for (std::uint64_t task = 1; task <= 7 * kSmallPerChunk; ++task)
        stream->start(base::ticks(), task, stream->site(__builtin_return_address(0), nullptr));
    const ReadStream found = read();
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(std::filesystem::file_size(folder_.file("stream-0003.bin")), kPlaces * TEFF_TRACE_CHUNK_BYTES);
    ASSERT_GE(found.chunks.size(), kPlaces - 1); // the oldest one may have given its place to the next
    for (const teff_chunk_header& chunk : found.chunks)
        EXPECT_GE(chunk.sequence, 4u);
    const auto chunks_with = [&found](unsigned type) {
        std::set<std::size_t> chunks;
        for (const ReadRecord& record : found.of_type(type))
            chunks.insert(record.chunk);
        return chunks.size();
    };
    EXPECT_EQ(chunks_with(TEFF_REC_SITE), found.chunks.size());
    EXPECT_EQ(chunks_with(TEFF_REC_NAME), found.chunks.size());
    EXPECT_EQ(chunks_with(TEFF_REC_SPAN), found.chunks.size());
}

} // namespace
} // namespace teff::probe::trace
