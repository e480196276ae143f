// SPDX-License-Identifier: Apache-2.0 Tests of a stream's buffers (chunk_file.h): what is in the
// file while they are filled in turn, when the recording ends, and when the process is killed.
#include "probe/trace/chunk_file.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

class StreamBuffers : public StreamTest {};

// The first two places are the buffers. Each full chunk has gone to a further place of its own.
TEST_F(StreamBuffers, TheBuffersAreFilledInTurn) {
    const auto stream = open();
    std::uint64_t task = 0;
    std::set<const void*> buffers;
    while (read().chunks.size() < 6) {
        for (std::size_t i = 0; i < kSmallPerChunk / 4; ++i)
            stream->start(origin_.ticks, ++task, 0);
        buffers.insert(stream->chunk());
    }
    EXPECT_EQ(buffers.size(), 2u);
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(stream->lost_records(), 0u);
    const auto starts = all.of_type(TEFF_REC_START);
    ASSERT_EQ(starts.size(), task);
    for (std::size_t i = 0; i < starts.size(); ++i)
        ASSERT_EQ(starts[i].as<teff_rec_start>().task, i + 1);
    const std::vector<std::size_t> begins = chunks_in_order(contents(folder_.file("stream-0003.bin")));
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(begins.at(i) / TEFF_TRACE_CHUNK_BYTES, i + 2);
    EXPECT_EQ(begins.at(4) / TEFF_TRACE_CHUNK_BYTES, 0u);
    EXPECT_EQ(begins.at(5) / TEFF_TRACE_CHUNK_BYTES, 1u);
}

void trim(Stream& stream) {
    const Guest guest;
    const auto stack = std::make_unique<ApartStack>();
    auto work = [&stream] { stream.trim(); };
    EXPECT_EQ(run_apart(guest, *stack, work), 0);
}

// What is prepared while the first chunk fills is not there at once, and is no chunk of the stream
// before it is used.
TEST_F(StreamBuffers, AChunkThatWasNotUsedIsCutOff) {
    const auto stream = open();
    const auto bytes = [&] {
        struct stat file{};
        EXPECT_EQ(stat(folder_.file("stream-0003.bin").c_str(), &file), 0);
        return static_cast<std::size_t>(file.st_blocks) * 512;
    };
    for (std::size_t i = 0; i < kSmallPerChunk / 2; ++i)
        stream->start(origin_.ticks, 1, 2);
    while (bytes() < 2 * TEFF_TRACE_CHUNK_BYTES) {
    } // the test's time-out ends it otherwise
    EXPECT_EQ(read().chunks.size(), 1u);
    trim(*stream);
    EXPECT_LE(bytes(), TEFF_TRACE_CHUNK_BYTES);
    const std::string said = said_by([&] {
        for (std::size_t i = 0; i < kSmallPerChunk; ++i) // a thread that goes on all the same
            stream->start(origin_.ticks, 1, 2);
    });
    EXPECT_EQ(said, "") << "the recording is over";
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.chunks.size(), 1u);
    EXPECT_EQ(all.of_type(TEFF_REC_START).size() + stream->lost_records(), kSmallPerChunk / 2 + kSmallPerChunk);
    EXPECT_GE(std::filesystem::file_size(folder_.file("stream-0003.bin")), 2 * TEFF_TRACE_CHUNK_BYTES);
}

// A short process does not keep a chunk of the disk for a few records.
TEST_F(StreamBuffers, WhatIsEmptyOfTheLastChunkIsGivenBack) {
    const auto stream = open();
    for (int i = 0; i < 100; ++i)
        stream->start(origin_.ticks, 1, 2);
    trim(*stream);
    struct stat file{};
    ASSERT_EQ(stat(folder_.file("stream-0003.bin").c_str(), &file), 0);
    EXPECT_LE(file.st_blocks * 512, 128 << 10);
    EXPECT_EQ(file.st_size, off_t{TEFF_TRACE_CHUNK_BYTES});
    for (std::size_t i = 0; i < kSmallPerChunk / 2; ++i) // a thread that goes on all the same
        stream->start(origin_.ticks, 1, 2);
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.of_type(TEFF_REC_START).size(), 100 + kSmallPerChunk / 2);
}

// A process that records tasks 1, 2, 3, ... until it is killed.
class Victim {
  public:
    template <class Make> explicit Victim(Make make) {
        recorded_ = static_cast<std::atomic<std::uint64_t>*>(
            mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
        process_ = fork();
        if (process_ != 0) return;
        Stream& stream = make();
        for (std::uint64_t task = 1;; ++task) {
            stream.start(0, task, 0);
            recorded_->store(task, std::memory_order_release);
        }
    }
    ~Victim() { munmap(recorded_, 4096); }
    Victim(const Victim&) = delete;
    Victim& operator=(const Victim&) = delete;

    // Kills it once it has recorded so many tasks. Returns how many it has recorded.
    std::uint64_t kill_after(std::uint64_t tasks) {
        while (recorded_->load(std::memory_order_acquire) < tasks)
            sched_yield();
        EXPECT_EQ(kill(process_, SIGKILL), 0);
        int status;
        EXPECT_EQ(waitpid(process_, &status, 0), process_);
        return recorded_->load(std::memory_order_acquire);
    }

  private:
    std::atomic<std::uint64_t>* recorded_;
    pid_t process_;
};

// Wherever it is killed: while it fills a buffer, while a full one is copied, or while it is
// cleared.
TEST_F(StreamBuffers, AKilledProcessLeavesAllThatItHasRecorded) {
    constexpr std::uint64_t kRounds = 40;
    for (const bool has_two : {true, false}) {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            const auto number = static_cast<std::uint32_t>(round + (has_two ? 100 : 200));
            Victim victim([&]() -> Stream& {
                StreamMemory few;
                while (!has_two && few.has_plenty())
                    (void)few.take(sizeof(Stream));
                return *Stream::make(has_two ? memory_ : few, target_, number, origin_);
            });
            const std::uint64_t recorded = victim.kill_after(1 + round * kSmallPerChunk / 9);
            const std::string name = "stream-0" + std::to_string(number) + ".bin";
            const ReadStream all = read(name.c_str());
            ASSERT_EQ(all.error, "");
            const auto starts = all.of_type(TEFF_REC_START);
            ASSERT_GE(starts.size(), recorded);
            for (std::size_t i = 0; i < starts.size(); ++i)
                ASSERT_EQ(starts[i].as<teff_rec_start>().task, i + 1) << "of " << recorded;
            std::filesystem::remove(folder_.file(name));
        }
    }
}

} // namespace
} // namespace teff::probe::trace
