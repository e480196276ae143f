// SPDX-License-Identifier: Apache-2.0
// Tests only: provides a stream in a folder of its own, and reads back what the stream has written.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/standard_error.h"
#include "probe/trace/pinned.h"
#include "probe/trace/stream.h"
#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {

inline constexpr std::size_t kSmallPerChunk = (TEFF_TRACE_CHUNK_BYTES - sizeof(teff_chunk_header)) / 32;
inline constexpr std::size_t kAtChunkStart = 3;            // CLOCK, THREAD and RECORDER
inline constexpr std::size_t kInChunk = kAtChunkStart + 2; // also RECORDER, when the next chunk is prepared, and MOVED

inline Stream::Instant now() { return {base::ticks(), base::monotonic_ns()}; }

// The streams that a test has open. Their files change while chunks are copied.
inline std::set<Stream*> open_streams;

struct Unmake {
    void operator()(Stream* stream) const {
        open_streams.erase(stream);
        Stream::unmake(stream);
    }
};
using OpenStream = std::unique_ptr<Stream, Unmake>;

class StreamTest : public testing::Test {
  protected:
    explicit StreamTest(std::optional<std::uint64_t> limit_MiB = 0) : target_(limit_MiB) {
        EXPECT_EQ(target_.note_path(folder_.path()), 0);
        EXPECT_EQ(target_.claim(), 0);
        note_surroundings();
        prepare_to_find_modules();
    }

    OpenStream open(std::uint32_t number = 3) {
        OpenStream stream(Stream::make(memory_, target_, number, origin_));
        open_streams.insert(stream.get());
        return stream;
    }
    ReadStream read(const char* name = "stream-0003.bin") {
        for (Stream* stream : open_streams)
            stream->settle();
        return read_stream(folder_.file(name));
    }

    // Runs `body` and returns the messages that the recorder writes meanwhile.
    template <class Body> static std::string said_by(Body body) {
        testing::internal::CaptureStderr();
        base::note_standard_error();
        body();
        return testing::internal::GetCapturedStderr();
    }

    Pinned pinned_; // otherwise the kernel may move the thread, which makes records
    ScratchFolder folder_;
    Folder target_;
    StreamMemory memory_;
    Stream::Instant origin_ = now();
};

} // namespace teff::probe::trace
