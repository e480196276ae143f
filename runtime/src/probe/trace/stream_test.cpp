// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

class LimitedStreamTest : public StreamTest {
  protected:
    LimitedStreamTest() : StreamTest(2) {}
};

TEST_F(StreamTest, NothingRecordedLeavesNoFile) {
    open()->close();
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(StreamTest, AChunkSaysWhereItBelongs) {
    open()->start(origin_.ticks + 5, 1, 2);
    const ReadStream stream = read();
    ASSERT_EQ(stream.error, "");
    ASSERT_EQ(stream.chunks.size(), 1u);
    const teff_chunk_header& header = stream.chunks[0];
    EXPECT_EQ(header.version, TEFF_TRACE_VERSION);
    EXPECT_EQ(header.stream, 3u);
    EXPECT_EQ(header.sequence, 0u);
    EXPECT_EQ(header.base_ticks, origin_.ticks);
    EXPECT_EQ(header.base_ns, origin_.ns);
    EXPECT_EQ(header.os_thread, static_cast<std::uint32_t>(gettid()));
    EXPECT_EQ(header.header_bytes, sizeof header);
    ASSERT_EQ(stream.records.size(), kAtChunkStart + 1);
    EXPECT_EQ(stream.records[0].type(), unsigned{TEFF_REC_CLOCK}); // every chunk begins with one
    const auto clock = stream.records[0].as<teff_rec_clock>();
    EXPECT_GE(clock.ticks, origin_.ticks);
    EXPECT_GE(clock.monotonic_ns, origin_.ns);
    EXPECT_EQ(clock.ticks - origin_.ticks, stream.records[0].when());
}

TEST_F(StreamTest, MoreDeparturesThanTheirFieldHoldsSaturate) {
    const Ticks t = origin_.ticks;
    open()->wait(t, t + 7, TEFF_WAIT_TASKWAIT, 1, 2, 0, 0x1'0005);
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    EXPECT_EQ(all.records[kAtChunkStart].as<teff_rec_wait>().ticks_and_ordinal, std::uint64_t{0xffff} << 48 | 7);
}

TEST_F(StreamTest, EveryKindOfRecordReadsBackAsWritten) {
    const Ticks t = origin_.ticks;
    const auto stream = open();
    stream->create(t + 1, TEFF_TASK_UNTIED | TEFF_TASK_FINAL, 11, 12, 13, 14);
    stream->start(t + 2, 21, 22);
    stream->run(t + 3, t + 33, TEFF_RUN_STOLEN, 31, 32);
    stream->wait(t + 4, t + 44, TEFF_WAIT_BARRIER, 41, 42, 43, 45);
    stream->region(t + 5, 51, 52, 53, 54, 55, 56);
    stream->region_end(t + 6, 61);
    stream->loop(t + 7, TEFF_LOOP_DYNAMIC | TEFF_LOOP_ORDERED, 71, 72, 73, 74, -75, 76, -77, 78);
    stream->chunk(t + 8, t + 88, 81, 82, -83, 84);
    stream->loop_thread(t + 9, t + 99, 91, 92);
    stream->dependence(t + 10, unsigned{TEFF_DEP_INOUTSET} | TEFF_DEP_FULFILLED, 101, 102, 103);
    stream->idle(t + 11, t + 111, 7);
    stream->steal(t + 12, 121, 122);
    stream->priority(t + 13, 131, -132);
    stream->fulfil(t + 14, t + 15, TEFF_FULFIL_LATE, 141);
    stream->wake({.when = t + 15, .ticks = 151, .sleeper = 152, .sleep = 153, .cause = TEFF_WAKE_TEAM});
    stream->request(t + 16, t + 177, TEFF_REQUEST_NOTHING, 161, 162);
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    ASSERT_EQ(all.records.size(), kAtChunkStart + 16);

    constexpr unsigned kTypes[] = {TEFF_REC_CREATE,      TEFF_REC_START,      TEFF_REC_RUN,  TEFF_REC_WAIT,
                                   TEFF_REC_REGION,      TEFF_REC_REGION_END, TEFF_REC_LOOP, TEFF_REC_CHUNK,
                                   TEFF_REC_LOOP_THREAD, TEFF_REC_DEP,        TEFF_REC_IDLE, TEFF_REC_STEAL,
                                   TEFF_REC_PRIORITY,    TEFF_REC_FULFIL,     TEFF_REC_WAKE, TEFF_REC_REQUEST};
    constexpr unsigned kFlags[] = {24, 0, 2, 3, 0, 0, 18, 0, 0, 69, 0, 0, 0, 1, 3, 2};
    for (std::size_t i = 0; i < std::size(kTypes); ++i) {
        const ReadRecord& record = all.records[kAtChunkStart + i];
        EXPECT_EQ(record.type(), kTypes[i]);
        EXPECT_EQ(record.flags(), kFlags[i]) << "record " << i;
        EXPECT_EQ(record.when(), i + 1);
    }
    const auto create = all.records[kAtChunkStart + 0].as<teff_rec_create>();
    EXPECT_EQ(std::tie(create.task, create.parent), std::make_tuple(11u, 12u));
    EXPECT_EQ(std::tie(create.site, create.cost_ticks), std::make_tuple(13u, 14u));
    const auto start = all.records[kAtChunkStart + 1].as<teff_rec_start>();
    EXPECT_EQ(std::tie(start.task, start.region, start.reserved), std::make_tuple(21u, 22u, 0u));
    const auto run = all.records[kAtChunkStart + 2].as<teff_rec_run>();
    EXPECT_EQ(std::tie(run.task, run.region), std::make_tuple(31u, 32u));
    EXPECT_EQ(run.ticks_and_cpu & 0xffff'ffff'ffff, 30u);
    EXPECT_LT(run.ticks_and_cpu >> 48, static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_CONF)));
    const auto wait = all.records[kAtChunkStart + 3].as<teff_rec_wait>();
    EXPECT_EQ(std::tie(wait.task, wait.ticks_and_ordinal, wait.site, wait.barrier),
              std::make_tuple(41u, 40u | std::uint64_t{45} << 48, 42u, 43u));
    const auto region = all.records[kAtChunkStart + 4].as<teff_rec_region>();
    EXPECT_EQ(std::tie(region.region, region.parent, region.site), std::make_tuple(51u, 52u, 53u));
    EXPECT_EQ(std::tie(region.threads, region.requested, region.level), std::make_tuple(54u, 55u, 56u));
    EXPECT_EQ(all.records[kAtChunkStart + 5].as<teff_rec_region_end>().region, 61u);
    const auto loop = all.records[kAtChunkStart + 6].as<teff_rec_loop>();
    EXPECT_EQ(std::tie(loop.loop, loop.region, loop.site, loop.threads), std::make_tuple(71u, 72u, 73u, 74u));
    EXPECT_EQ(std::tie(loop.lb, loop.ub, loop.step, loop.chunk), std::make_tuple(-75, 76, -77, 78));
    const auto chunk = all.records[kAtChunkStart + 7].as<teff_rec_chunk>();
    EXPECT_EQ(std::tie(chunk.loop, chunk.task, chunk.iterations), std::make_tuple(81u, 82u, 84u));
    EXPECT_EQ(chunk.first, -83);
    EXPECT_EQ(chunk.ticks_and_cpu & 0xffff'ffff'ffff, 80u);
    const auto thread = all.records[kAtChunkStart + 8].as<teff_rec_loop_thread>();
    EXPECT_EQ(std::tie(thread.loop, thread.task, thread.ticks), std::make_tuple(91u, 92u, 90u));
    const auto dependence = all.records[kAtChunkStart + 9].as<teff_rec_dep>();
    EXPECT_EQ(std::tie(dependence.successor, dependence.predecessor, dependence.address),
              std::make_tuple(101u, 102u, 103u));
    const auto idle = all.records[kAtChunkStart + 10].as<teff_rec_idle>();
    EXPECT_EQ(std::tie(idle.ticks, idle.sleep), std::make_tuple(100u, 7u));
    const auto steal = all.records[kAtChunkStart + 11].as<teff_rec_steal>();
    EXPECT_EQ(std::tie(steal.task, steal.victim_stream), std::make_tuple(121u, 122u));
    const auto priority = all.records[kAtChunkStart + 12].as<teff_rec_priority>();
    EXPECT_EQ(std::tie(priority.task, priority.priority), std::make_tuple(131u, -132));
    EXPECT_EQ(all.records[kAtChunkStart + 13].as<teff_rec_fulfil>().task, 141u);
    const auto wake = all.records[kAtChunkStart + 14].as<teff_rec_wake>();
    EXPECT_EQ(std::tie(wake.sleeper, wake.sleep, wake.ticks), std::make_tuple(152u, 153u, 151u));
    const auto request = all.records[kAtChunkStart + 15].as<teff_rec_request>();
    EXPECT_EQ(std::tie(request.task, request.ticks, request.priority), std::make_tuple(161u, 161u, 162));
}

TEST_F(StreamTest, AConstructOnADeviceReadsBackAsWritten) {
    open()->device(origin_.ticks + 9, unsigned{TEFF_DEVICE_UPDATE} | TEFF_DEVICE_NOWAIT,
                   {0, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22});
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const ReadRecord& record = all.records[kAtChunkStart];
    EXPECT_EQ(record.type(), TEFF_REC_DEVICE);
    EXPECT_EQ(record.flags(), 22u);
    EXPECT_EQ(record.when(), 9u);
    const auto construct = record.as<teff_rec_device>();
    EXPECT_EQ(std::tie(construct.task, construct.site, construct.device), std::make_tuple(11u, 12u, 13u));
    EXPECT_EQ(std::tie(construct.bytes_to, construct.bytes_from), std::make_tuple(14u, 15u));
    EXPECT_EQ(std::tie(construct.ticks_waited, construct.ticks_prepared, construct.ticks_there),
              std::make_tuple(16u, 17u, 18u));
    EXPECT_EQ(std::tie(construct.ticks_received, construct.ran_ns), std::make_tuple(19u, 20u));
    EXPECT_EQ(std::tie(construct.began, construct.ended), std::make_tuple(21u, 22u));
}

TEST_F(StreamTest, AnExchangeWithADeviceReadsBackAsWritten) {
    open()->exchange(origin_.ticks + 9, {0, 11, 12, 13, 14});
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const ReadRecord& record = all.records[kAtChunkStart];
    EXPECT_EQ(record.type(), TEFF_REC_EXCHANGE);
    EXPECT_EQ(record.when(), 9u);
    const auto exchange = record.as<teff_rec_exchange>();
    EXPECT_EQ(std::tie(exchange.device, exchange.ticks), std::make_tuple(11u, 12u));
    EXPECT_EQ(std::tie(exchange.began, exchange.ended), std::make_tuple(13u, 14u));
}

TEST_F(StreamTest, ARequestOfUnknownTimeHasNoLength) {
    const Ticks t = origin_.ticks;
    open()->request(0, t + 9, TEFF_REQUEST_PREEMPTED, 1, 2);
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const ReadRecord& record = all.records[kAtChunkStart];
    EXPECT_EQ(record.when(), 9u);
    EXPECT_EQ(record.as<teff_rec_request>().ticks, 0u);
}

// What the header of a chunk says, in bytes, and whether a tail follows.
std::pair<std::size_t, bool> size_in(const teff_chunk_header& header, unsigned type) {
    const unsigned size = header.sizes[type];
    return {size % TEFF_SIZE_HAS_TAIL * TEFF_SIZE_UNIT, size >= TEFF_SIZE_HAS_TAIL};
}

TEST_F(StreamTest, EveryChunkNamesEveryTypeWithItsSize) {
    constexpr struct {
        teff_record_type type;
        std::size_t bytes;
        bool has_tail;
    } kTypes[] = {
        {TEFF_REC_SITE, sizeof(teff_rec_site), false},
        {TEFF_REC_MODULE, sizeof(teff_rec_module), true},
        {TEFF_REC_CREATE, sizeof(teff_rec_create), false},
        {TEFF_REC_RUN, sizeof(teff_rec_run), false},
        {TEFF_REC_WAIT, sizeof(teff_rec_wait), false},
        {TEFF_REC_REGION, sizeof(teff_rec_region), false},
        {TEFF_REC_REGION_END, sizeof(teff_rec_region_end), false},
        {TEFF_REC_LOOP, sizeof(teff_rec_loop), false},
        {TEFF_REC_CHUNK, sizeof(teff_rec_chunk), false},
        {TEFF_REC_LOOP_THREAD, sizeof(teff_rec_loop_thread), false},
        {TEFF_REC_DEP, sizeof(teff_rec_dep), false},
        {TEFF_REC_IDLE, sizeof(teff_rec_idle), false},
        {TEFF_REC_STEAL, sizeof(teff_rec_steal), false},
        {TEFF_REC_CLOCK, sizeof(teff_rec_clock), false},
        {TEFF_REC_START, sizeof(teff_rec_start), false},
        {TEFF_REC_LOST, sizeof(teff_rec_lost), false},
        {TEFF_REC_GROUP_BEGIN, sizeof(teff_rec_group_begin), false},
        {TEFF_REC_PRIORITY, sizeof(teff_rec_priority), false},
        {TEFF_REC_FULFIL, sizeof(teff_rec_fulfil), false},
        {TEFF_REC_THREAD, sizeof(teff_rec_thread), false},
        {TEFF_REC_LOCK, sizeof(teff_rec_lock), false},
        {TEFF_REC_MEMORY, sizeof(teff_rec_memory), false},
        {TEFF_REC_PROCESSOR, sizeof(teff_rec_processor), false},
        {TEFF_REC_COUNTER, sizeof(teff_rec_counter), true},
        {TEFF_REC_COUNTS, sizeof(teff_rec_counts), true},
        {TEFF_REC_SAMPLING, sizeof(teff_rec_sampling), false},
        {TEFF_REC_RECORDER, sizeof(teff_rec_recorder), false},
        {TEFF_REC_DOACROSS, sizeof(teff_rec_doacross), false},
        {TEFF_REC_CALL_PATH, sizeof(teff_rec_call_path), true},
        {TEFF_REC_TEAM_SIZE, sizeof(teff_rec_team_size), false},
        {TEFF_REC_SHORT_CREATE, sizeof(teff_rec_short_create), false},
        {TEFF_REC_SHORT_RUN, sizeof(teff_rec_short_run), false},
        {TEFF_REC_SHORT_DEP, sizeof(teff_rec_short_dep), false},
        {TEFF_REC_WAKE, sizeof(teff_rec_wake), false},
        {TEFF_REC_MOVED, sizeof(teff_rec_moved), false},
        {TEFF_REC_REQUEST, sizeof(teff_rec_request), false},
        {TEFF_REC_OFF, sizeof(teff_rec_off), false},
        {TEFF_REC_WINDOW, sizeof(teff_rec_window), false},
        {TEFF_REC_SPAN, sizeof(teff_rec_span), false},
        {TEFF_REC_NAME, sizeof(teff_rec_name), true},
        {TEFF_REC_SAMPLE, sizeof(teff_rec_sample), false},
        {TEFF_REC_SAMPLES, sizeof(teff_rec_samples), false},
        {TEFF_REC_STACK, sizeof(teff_rec_stack), true},
        {TEFF_REC_CODE, sizeof(teff_rec_code), true},
        {TEFF_REC_SAMPLED, sizeof(teff_rec_sampled), false},
        {TEFF_REC_PREPARED, sizeof(teff_rec_prepared), false},
        {TEFF_REC_SHORT_WAIT, sizeof(teff_rec_short_wait), false},
        {TEFF_REC_SHORT_CHUNK, sizeof(teff_rec_short_chunk), false},
        {TEFF_REC_SHORT_TASK, sizeof(teff_rec_short_task), false},
        {TEFF_REC_DEVICE, sizeof(teff_rec_device), false},
        {TEFF_REC_SUMS, sizeof(teff_rec_sums), false},
        {TEFF_REC_EXCHANGE, sizeof(teff_rec_exchange), false},
    };
    const auto stream = open();
    for (std::size_t i = 0; i < 2 * kSmallPerChunk; ++i)
        stream->start(origin_.ticks, 1, 2);
    const ReadStream all = read();
    ASSERT_EQ(all.chunks.size(), 3u);
    for (const teff_chunk_header& header : all.chunks) {
        for (const auto& [type, bytes, has_tail] : kTypes)
            EXPECT_EQ(size_in(header, type), std::make_pair(bytes, has_tail)) << "type " << type;
        EXPECT_EQ(std::count(std::begin(header.sizes), std::end(header.sizes), 0), 256 - std::ssize(kTypes));
    }
}

TEST_F(StreamTest, OneQuestionForTheTeamStandsForAllThatFollowIt) {
    const auto stream = open();
    stream->start(origin_.ticks, 7, 2);
    for (std::uint64_t i = 0; i < 3; ++i)
        stream->team_size(origin_.ticks + i, 7);
    stream->group_begin(origin_.ticks + 3, 7);
    stream->team_size(origin_.ticks + 4, 7);
    const ReadStream all = read();
    const auto asked = all.of_type(TEFF_REC_TEAM_SIZE);
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked[0].as<teff_rec_team_size>().task, 7u);
}

TEST_F(StreamTest, EachStaticLoopSaysItsIterationsAndItsEnd) {
    const auto stream = open();
    for (const std::uint64_t iterations : {100u, 3u}) {
        stream->static_loop(origin_.ticks, 7, iterations);
        stream->static_loop_end(origin_.ticks + 1, 7);
    }
    const auto marks = read().of_type(TEFF_REC_TEAM_SIZE);
    ASSERT_EQ(marks.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const bool begins = i % 2 == 0;
        EXPECT_EQ(marks[i].flags(), begins ? TEFF_TEAM_SIZE_LOOP : TEFF_TEAM_SIZE_LOOP_END);
        EXPECT_EQ(marks[i].as<teff_rec_team_size>().task, 7u);
        EXPECT_EQ(marks[i].as<teff_rec_team_size>().iterations, i == 0 ? 100u : i == 2 ? 3u : 0u);
    }
}

TEST_F(StreamTest, AThreadSaysWhatItHasUsed) {
    const auto stream = open();
    for (std::size_t i = 0; i < kSmallPerChunk; ++i)
        stream->start(origin_.ticks, 1, 2);
    std::thread([&] {
        stream->begin_thread();
        EXPECT_NE(stream->thread_cpu_ns(), 0u);
        stream->end_thread();
        EXPECT_EQ(stream->thread_cpu_ns(), 0u) << "nobody has the stream";
    }).join();
    stream->close();
    const ReadStream all = read();
    const auto threads = all.of_type(TEFF_REC_THREAD);
    ASSERT_EQ(threads.size(), 4u) << "two chunks; then the other thread's beginning and end";
    constexpr unsigned kFlags[] = {TEFF_THREAD_BEGINS, 0, TEFF_THREAD_BEGINS, TEFF_THREAD_ENDS};
    const auto self = static_cast<std::uint32_t>(gettid());
    std::uint64_t recorder_ticks = 1;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        const auto thread = threads[i].as<teff_rec_thread>();
        EXPECT_EQ(threads[i].flags(), kFlags[i]);
        EXPECT_EQ(thread.os_thread == self, i < 2);
        EXPECT_NE(thread.cpu_ns, 0u);
        EXPECT_GE(thread.recorder_ticks, recorder_ticks) << "a sum over all threads";
        recorder_ticks = thread.recorder_ticks;
    }
    EXPECT_LE(threads[0].as<teff_rec_thread>().cpu_ns, threads[1].as<teff_rec_thread>().cpu_ns);
    EXPECT_LE(threads[2].as<teff_rec_thread>().cpu_ns, threads[3].as<teff_rec_thread>().cpu_ns);
}

// A sleep gives the processor up.
TEST_F(StreamTest, AThreadSaysHowOftenItHasSlept) {
    constexpr int kSleeps = 3;
    const auto stream = open();
    std::thread([&] {
        stream->begin_thread();
        for (int i = 0; i < kSleeps; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        stream->end_thread();
    }).join();
    const ReadStream all = read();
    const auto threads = all.of_type(TEFF_REC_THREAD);
    ASSERT_EQ(threads.size(), 2u);
    const auto begins = threads[0].as<teff_rec_thread>(), ends = threads[1].as<teff_rec_thread>();
    EXPECT_GE(ends.waits - begins.waits, kSleeps);
    EXPECT_GE(ends.preemptions, begins.preemptions);
}

// Of two that live within each other the outer one's time has the inner one's.
TEST_F(StreamTest, TheRecordersTimeIsCountedOnce) {
    const Ticks began = base::ticks();
    const auto stream = open();
    const void* const here = reinterpret_cast<const void*>(std::uintptr_t{16});
    for (std::uintptr_t i = 0; i < 3 * kSmallPerChunk; ++i) // some of them open a chunk
        (void)stream->site(here, reinterpret_cast<const void*>(i));
    stream->close();
    const Ticks elapsed = base::ticks() - began;
    const ReadStream all = read();
    ASSERT_GE(all.chunks.size(), 3u);
    const auto last = all.of_type(TEFF_REC_THREAD).back().as<teff_rec_thread>();
    EXPECT_LE(last.recorder_ticks, elapsed);
    Ticks sum = 0, over = 0;
    for (const ReadRecord& record : all.of_type(TEFF_REC_RECORDER)) {
        EXPECT_GE(record.when(), over) << "none begins before the one before it is over";
        over = record.when() + record.as<teff_rec_recorder>().ticks;
        sum += record.as<teff_rec_recorder>().ticks;
    }
    EXPECT_EQ(sum, last.recorder_ticks);
    EXPECT_LE(over, base::ticks() - origin_.ticks);
}

TEST_F(StreamTest, AStallIsWrittenWhereItWas) {
    const auto stream = open();
    const Ticks began = base::ticks();
    for (std::size_t i = 0; i < kSmallPerChunk; ++i)
        stream->start(origin_.ticks, 1, 2);
    const ReadStream all = read();
    ASSERT_EQ(all.chunks.size(), 2u);
    const auto stalls = all.of_type(TEFF_REC_RECORDER);
    ASSERT_GE(stalls.size(), 3u) << "one for each chunk, and one when the second was prepared";
    EXPECT_GE(stalls.front().when(), began - origin_.ticks);
    for (const ReadRecord& stall : stalls)
        EXPECT_GT(stall.as<teff_rec_recorder>().ticks, 0u);
    EXPECT_EQ(stalls.back().chunk, 1u);
}

TEST_F(StreamTest, ACreationLastsUntilItsEnd) {
    const auto stream = open();
    const Ticks t = origin_.ticks;
    EXPECT_FALSE(stream->is_creating());
    stream->creation_begins(t + 10, TEFF_TASK_UNTIED, 1, 2, 3);
    EXPECT_TRUE(stream->is_creating());
    EXPECT_EQ(stream->creation_began(), t + 10);
    stream->dependence(t + 10, 0, 1, 4, 5);
    stream->creation_ends(t + 40);
    EXPECT_FALSE(stream->is_creating());
    stream->creation_ends(t + 90);                // of none
    stream->creation_begins(t + 100, 0, 6, 2, 3); // ends where the next one begins
    stream->creation_begins(t + 105, 0, 7, 2, 3); // is never over
    const auto creations = read().of_type(TEFF_REC_CREATE);
    ASSERT_EQ(creations.size(), 3u);
    constexpr std::uint32_t kCosts[] = {30, 5, 0};
    for (std::size_t i = 0; i < creations.size(); ++i)
        EXPECT_EQ(creations[i].as<teff_rec_create>().cost_ticks, kCosts[i]);
    EXPECT_EQ(creations[0].flags(), unsigned{TEFF_TASK_UNTIED});
    EXPECT_EQ(creations[0].when(), 10u);
}

// What comes after the end of a chunk must not store into the one that has taken its place.
TEST_F(StreamTest, ACreationEndsWithItsChunk) {
    const auto stream = open();
    stream->start(origin_.ticks, 1, 2);
    stream->creation_begins(base::ticks(), 0, 1, 2, 3);
    for (std::size_t i = 0; i < kSmallPerChunk; ++i)
        stream->start(origin_.ticks, 1, 2);
    EXPECT_FALSE(stream->is_creating());
    stream->creation_ends(base::ticks());
    const ReadStream all = read();
    const auto creation = all.of_type(TEFF_REC_CREATE).at(0);
    const auto stall = all.of_type(TEFF_REC_RECORDER).back();
    EXPECT_GT(creation.as<teff_rec_create>().cost_ticks, 0u);
    EXPECT_EQ(creation.when() + creation.as<teff_rec_create>().cost_ticks, stall.when());
    for (const ReadRecord& record : all.of_type(TEFF_REC_START))
        ASSERT_EQ(std::make_pair(record.as<teff_rec_start>().task, record.as<teff_rec_start>().region),
                  std::make_pair(std::uint64_t{1}, std::uint64_t{2}));
}

// A thread says what it has used where an interval ends, but not more often than it is to.
TEST_F(StreamTest, TheCpuTimeIsReadNowAndThen) {
    constexpr Ticks kEvery = 1'000'000;
    const OpenStream stream(Stream::make(memory_, target_, 3, origin_, kEvery));
    stream->start(origin_.ticks, 1, 2); // opens the chunk, which begins with one
    const Ticks t = base::ticks();
    stream->run(t - 5, t - 4, 0, 1, 2);
    EXPECT_EQ(read().of_type(TEFF_REC_THREAD).size(), 1u) << "too soon";
    const auto after_so_long = [] {
        const Ticks now = base::ticks();
        while (base::ticks() < now + kEvery) {
        }
        return base::ticks();
    };
    stream->chunk(t, after_so_long(), 1, 2, 3, 4);
    stream->wait(t, after_so_long(), TEFF_WAIT_TASKWAIT, 1, 0, 0);
    const ReadStream all = read();
    const auto threads = all.of_type(TEFF_REC_THREAD);
    ASSERT_EQ(threads.size(), 3u);
    for (std::size_t i = 1; i < threads.size(); ++i) {
        EXPECT_EQ(threads[i].flags(), 0u);
        EXPECT_GE(threads[i].when(), threads[i - 1].when() + kEvery);
        EXPECT_GT(threads[i].as<teff_rec_thread>().cpu_ns, threads[i - 1].as<teff_rec_thread>().cpu_ns);
    }
    EXPECT_EQ(all.of_type(TEFF_REC_RECORDER).size(), 3u) << "each reading is the recorder's time";
}

TEST_F(StreamTest, TimesSaturate) {
    const auto stream = open();
    stream->create(origin_.ticks - 1'000, 0, 1, 0, 0, std::uint64_t{1} << 40);
    stream->run(origin_.ticks, origin_.ticks + (std::uint64_t{1} << 50), 0, 1, 0);
    const ReadStream all = read();
    EXPECT_EQ(all.records.at(kAtChunkStart).when(), 0u) << "began before the recording";
    EXPECT_EQ(all.records.at(kAtChunkStart).as<teff_rec_create>().cost_ticks, 0xffff'ffffu);
    EXPECT_EQ(all.records.at(kAtChunkStart + 1).as<teff_rec_run>().ticks_and_cpu & 0xffff'ffff'ffff, 0xffff'ffff'ffffu);
}

// Records of several sizes over several chunks: none is lost, none crosses the end of a chunk.
TEST_F(StreamTest, ChunksFollowEachOther) {
    constexpr std::uint64_t kRecords = 100'000;
    const auto stream = open();
    for (std::uint64_t i = 1; i <= kRecords; ++i) {
        if (i % 3 == 0) stream->loop(origin_.ticks + i, 0, i, 0, 0, 0, 0, 0, 0, 0);
        else if (i % 3 == 1) stream->region(origin_.ticks + i, i, 0, 0, 0, 0, 0);
        else stream->start(origin_.ticks + i, i, 0);
    }
    stream->close();
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    ASSERT_GE(all.chunks.size(), 4u);
    for (std::size_t i = 0; i < all.chunks.size(); ++i)
        EXPECT_EQ(all.chunks[i].sequence, i);
    EXPECT_EQ(all.of_type(TEFF_REC_CLOCK).size(), all.chunks.size() + 1) << "one for each chunk and one at the end";
    std::uint64_t next = 1;
    for (const ReadRecord& record : all.records) {
        const unsigned type = record.type();
        if (type == TEFF_REC_CLOCK || type == TEFF_REC_THREAD || type == TEFF_REC_RECORDER) continue;
        if (type == TEFF_REC_PREPARED || type == TEFF_REC_SUMS) continue;
        ASSERT_EQ(record.as<teff_rec_start>().task, next); // the id stands in the same place in all three
        ASSERT_EQ(record.when(), next);
        ++next;
    }
    EXPECT_EQ(next, kRecords + 1);
    EXPECT_EQ(stream->lost_records(), 0u);
}

TEST_F(StreamTest, AChunkSaysWhoPreparedItWhenAndWhere) {
    const auto stream = open();
    for (std::size_t i = 0; i < 3 * kSmallPerChunk; ++i)
        stream->start(origin_.ticks, 1, 2);
    stream->close();
    const std::uint64_t end = base::ticks() - origin_.ticks;
    const ReadStream all = read();
    const auto prepared = all.of_type(TEFF_REC_PREPARED);
    EXPECT_EQ(prepared.size(), all.chunks.size() - 1) << "the stream made the first one itself";
    std::uint64_t before = 0;
    for (const ReadRecord& record : prepared) {
        const auto work = record.as<teff_rec_prepared>();
        EXPECT_GT(work.ticks, 0u);
        EXPECT_GE(record.when(), before) << "one after the other";
        before = record.when() + work.ticks;
        EXPECT_LE(before, end);
        EXPECT_LT(work.processor, static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_CONF)));
    }
}

TEST_F(LimitedStreamTest, TheLimitEndsTheRecordingAndCountsTheRest) {
    const auto stream = open();
    constexpr std::size_t kRecords = 4 * kSmallPerChunk;
    const std::string said = said_by([&] {
        for (std::size_t i = 0; i < kRecords; ++i)
            stream->start(origin_.ticks, i, 0);
        stream->close();
    });
    EXPECT_NE(said.find("has reached its limit of 2 MiB"), std::string::npos) << said;
    EXPECT_NE(said.find("TEFF_TRACE_LIMIT"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "said once: " << said;
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.chunks.size(), 2u);
    EXPECT_EQ(all.of_type(TEFF_REC_START).size() + stream->lost_records(), kRecords);
    constexpr std::size_t kOfSums = (sizeof(teff_rec_sums) + sizeof(teff_rec_start) - 1) / sizeof(teff_rec_start);
    EXPECT_EQ(all.of_type(TEFF_REC_START).size(), 2 * (kSmallPerChunk - kInChunk) - kOfSums);
}

TEST_F(LimitedStreamTest, TheLimitIsThatOfTheRecordingAndSaidOnce) {
    const auto one = open(1), two = open(2), three = open(3);
    const std::string said = said_by([&] {
        for (Stream* stream : {one.get(), two.get(), three.get()})
            for (std::size_t i = 0; i < 2 * kSmallPerChunk; ++i)
                stream->start(origin_.ticks, i, 0);
    });
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_EQ(read("stream-0001.bin").chunks.size(), 2u);
    EXPECT_FALSE(std::filesystem::exists(folder_.file("stream-0002.bin")));
    EXPECT_EQ(three->lost_records(), 2 * kSmallPerChunk);
}

TEST_F(StreamTest, AFileThatIsThereAlreadyIsLeftAlone) {
    std::ofstream(folder_.file("stream-0003.bin")) << "precious";
    const auto stream = open();
    const std::string said = said_by([&] {
        stream->start(origin_.ticks, 1, 2);
        stream->close();
    });
    EXPECT_NE(said.find("stream-0003.bin cannot be made"), std::string::npos) << said;
    EXPECT_EQ(contents(folder_.file("stream-0003.bin")), "precious");
    EXPECT_EQ(stream->lost_records(), 1u);
}

// A limit on the size of files stands for a disk that is full.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit small = before_;
        small.rlim_cur = bytes;
        EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit before_;
};

TEST_F(StreamTest, AFullDiskEndsTheRecordingAndNotTheProgram) {
    const auto stream = open();
    constexpr std::size_t kRecords = kSmallPerChunk + 10;
    const std::string said = said_by([&] {
        const FileSizeLimit limit(TEFF_TRACE_CHUNK_BYTES + TEFF_TRACE_CHUNK_BYTES / 2);
        for (std::size_t i = 0; i < kRecords; ++i)
            stream->start(origin_.ticks, i, 0);
        stream->close();
    });
    EXPECT_NE(said.find("cannot be extended"), std::string::npos) << said;
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.chunks.size(), 1u);
    EXPECT_EQ(all.of_type(TEFF_REC_START).size() + stream->lost_records(), kRecords);
}

// What was lost meanwhile is said in the stream, where it is missing; places that were new then are
// still new.
TEST_F(StreamTest, WhereThereIsRoomAgainTheRecordingGoesOn) {
    const auto stream = open();
    const void* const here = reinterpret_cast<const void*>(std::uintptr_t{16});
    const auto fill = [&](std::size_t records) {
        for (std::size_t i = 0; i < records; ++i)
            stream->start(origin_.ticks, i, 0);
    };
    {
        const FileSizeLimit limit(TEFF_TRACE_CHUNK_BYTES);
        fill(kSmallPerChunk - kInChunk);
        EXPECT_EQ(stream->site(here, here), 0u) << "it could not be stored";
    }
    const std::uint64_t lost_at_once = stream->lost_records();
    fill(TEFF_TRACE_CHUNK_BYTES / 32);
    const std::uint64_t lost = stream->lost_records();
    EXPECT_EQ(lost, lost_at_once + TEFF_TRACE_CHUNK_BYTES / 32 - 1) << "it tries again after a chunk's worth";
    EXPECT_NE(stream->site(here, here), 0u);
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    ASSERT_EQ(all.chunks.size(), 2u);
    ASSERT_EQ(all.of_type(TEFF_REC_LOST).size(), 1u);
    EXPECT_EQ(all.of_type(TEFF_REC_LOST)[0].as<teff_rec_lost>().records, lost);
    EXPECT_EQ(all.of_type(TEFF_REC_SITE).size(), 1u);
}

TEST_F(StreamTest, AFileThatIsNoLongerItsOwnIsLeftAlone) {
    const auto stream = open();
    stream->start(origin_.ticks, 1, 0);
    std::filesystem::remove(folder_.file("stream-0003.bin"));
    std::ofstream(folder_.file("stream-0003.bin")) << "precious";
    const std::string said = said_by([&] {
        for (std::size_t i = 0; i < kSmallPerChunk; ++i)
            stream->start(origin_.ticks, i, 0);
    });
    EXPECT_NE(said.find("stream-0003.bin cannot be opened (No such file or directory)"), std::string::npos) << said;
    EXPECT_EQ(contents(folder_.file("stream-0003.bin")), "precious");
}

TEST_F(StreamTest, AnyUmaskWillDo) {
    const mode_t before = umask(0777);
    const auto stream = open();
    for (std::size_t i = 0; i < 2 * kSmallPerChunk; ++i)
        stream->start(origin_.ticks, i, 0);
    umask(before);
    EXPECT_EQ(read().chunks.size(), 3u);
    EXPECT_EQ(std::filesystem::status(folder_.file("stream-0003.bin")).permissions(), std::filesystem::perms{0600});
}

// However it was made: fork's handlers do not run here.
TEST_F(StreamTest, AForkedChildWritesNothing) {
    const auto stream = open();
    stream->start(origin_.ticks, 1, 0);
    const void* const here = reinterpret_cast<const void*>(std::uintptr_t{16});
    const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) {
        for (std::size_t i = 0; i < 2 * kSmallPerChunk; ++i)
            stream->start(origin_.ticks, 77, 0);
        _exit(stream->site(here, here) == 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    stream->start(origin_.ticks, 2, 0);
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.chunks.size(), 1u);
    const auto starts = all.of_type(TEFF_REC_START);
    ASSERT_EQ(starts.size(), 2u);
    EXPECT_EQ(starts[1].as<teff_rec_start>().task, 2u);
}

TEST_F(StreamTest, WhereTheCounterGoesBackLengthsAreNothing) {
    const auto stream = open();
    const Ticks t = origin_.ticks + 1'000;
    const std::string said = said_by([&] {
        stream->run(t, t - 10, 0, 1, 0);
        stream->wait(t, t - 20, TEFF_WAIT_BARRIER, 1, 0, 0);
        stream->chunk(t, t - 30, 1, 1, 0, 1);
        stream->loop_thread(t, t - 40, 1, 1);
        stream->idle(t, t - 50, 0);
        stream->create(t, 0, 1, 0, 0, Ticks{0} - 60);
    });
    EXPECT_NE(said.find("has gone back by 10 ticks"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "said once: " << said;
    const ReadStream all = read();
    ASSERT_EQ(all.records.size(), kAtChunkStart + 6);
    constexpr std::uint64_t kLength = 0xffff'ffff'ffff;
    EXPECT_EQ(all.records[kAtChunkStart + 0].as<teff_rec_run>().ticks_and_cpu & kLength, 0u);
    EXPECT_EQ(all.records[kAtChunkStart + 1].as<teff_rec_wait>().ticks_and_ordinal, 0u);
    EXPECT_EQ(all.records[kAtChunkStart + 2].as<teff_rec_chunk>().ticks_and_cpu & kLength, 0u);
    EXPECT_EQ(all.records[kAtChunkStart + 3].as<teff_rec_loop_thread>().ticks, 0u);
    EXPECT_EQ(all.records[kAtChunkStart + 4].as<teff_rec_idle>().ticks, 0u);
    EXPECT_EQ(all.records[kAtChunkStart + 5].as<teff_rec_create>().cost_ticks, 0u);
}

// The recording's start lies ahead of the counter: all times count from there, as nothing.
TEST_F(StreamTest, AStartThatLiesAheadGivesNoWildTimes) {
    origin_.ticks = base::ticks() + (std::uint64_t{1} << 40);
    const auto stream = open();
    stream->start(base::ticks(), 1, 0);
    const ReadStream all = read();
    ASSERT_EQ(all.chunks.size(), 1u);
    EXPECT_EQ(all.chunks[0].base_ticks, origin_.ticks);
    EXPECT_EQ(all.records.at(kAtChunkStart).when(), 0u);
}

// The base of a chunk follows when 48 bits would not reach; the line through (base, ns) stays that
// of the clock.
TEST_F(StreamTest, AfterHalfADayChunksCountFromLater) {
    constexpr Ticks kElapsed = std::uint64_t{3} << 46;
    constexpr std::uint64_t kElapsed_ns = std::uint64_t{3} << 45;
    origin_.ticks -= kElapsed;
    origin_.ns -= kElapsed_ns;
    const auto stream = open();
    stream->start(base::ticks(), 1, 0);
    const ReadStream all = read();
    ASSERT_EQ(all.chunks.size(), 1u);
    const double ticks = static_cast<double>(all.chunks[0].base_ticks - origin_.ticks);
    const double ns = static_cast<double>(all.chunks[0].base_ns - origin_.ns);
    EXPECT_NEAR(ticks / ns, 2.0, 0.01);
    EXPECT_NEAR(static_cast<double>(all.records.at(kAtChunkStart).when()), static_cast<double>(std::uint64_t{1} << 47),
                1e12);
}

// [trace-1]: whatever the moment of its death, what a process has written is whole records.
TEST_F(StreamTest, AKilledProcessLeavesWholeRecords) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto stream = open();
        for (std::uint64_t i = 1;; ++i) {
            stream->loop(origin_.ticks + i, 0, i, i, 1, 2, static_cast<std::int64_t>(i), 0, 0,
                         static_cast<std::int64_t>(i));
            if (i == 40'000 && write(pipe_ends[1], "x", 1) != 1) _exit(1);
            if (i == 4'000'000) _exit(2); // nobody killed it
        }
    }
    char go;
    ASSERT_EQ(::read(pipe_ends[0], &go, 1), 1);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    ASSERT_TRUE(WIFSIGNALED(status));
    const ReadStream all = read();
    EXPECT_EQ(all.error, "");
    EXPECT_GE(all.chunks.size(), 3u);
    const auto loops = all.of_type(TEFF_REC_LOOP);
    ASSERT_GE(loops.size(), 40'000u);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const auto loop = loops[i].as<teff_rec_loop>();
        ASSERT_EQ(std::tie(loop.loop, loop.region), std::make_tuple(i + 1, i + 1));
        ASSERT_EQ(static_cast<std::size_t>(loop.chunk), i + 1);
    }
}

void some_function() {}

TEST_F(StreamTest, ASiteIsDefinedOnceAndBeforeItsUse) {
    const auto stream = open();
    const void* here = reinterpret_cast<const void*>(&some_function);
    const std::uint32_t site = stream->site(here, here);
    EXPECT_NE(site, 0u);
    EXPECT_EQ(stream->site(here, here), site);
    EXPECT_NE(stream->site(here, nullptr), site);
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto modules = all.of_type(TEFF_REC_MODULE);
    const auto sites = all.of_type(TEFF_REC_SITE);
    ASSERT_EQ(modules.size(), 1u);
    ASSERT_EQ(sites.size(), 2u);
    const auto module = modules[0].as<teff_rec_module>();
    const auto first = sites[0].as<teff_rec_site>();
    EXPECT_EQ(first.site, site);
    EXPECT_EQ(first.module, module.module);
    EXPECT_EQ(first.call_site, reinterpret_cast<std::uintptr_t>(here));
    EXPECT_EQ(first.function, reinterpret_cast<std::uintptr_t>(here));
    EXPECT_EQ(modules[0].bytes.substr(sizeof module, module.path_bytes),
              std::filesystem::read_symlink("/proc/self/exe").string());
    EXPECT_EQ(modules[0].bytes.size() % 16, 0u);
    EXPECT_NE(module.build_id, 0u) << "this program is linked with one";
}

TEST_F(StreamTest, PlacesInNoLoadedObjectHaveNoModule) {
    const auto stream = open();
    const std::uint32_t site = stream->site(reinterpret_cast<const void*>(std::uintptr_t{16}), nullptr);
    EXPECT_NE(site, 0u);
    const ReadStream all = read();
    EXPECT_TRUE(all.of_type(TEFF_REC_MODULE).empty());
    EXPECT_EQ(all.of_type(TEFF_REC_SITE).at(0).as<teff_rec_site>().module, 0u);
}

TEST_F(StreamTest, ManySitesKeepTheirNumbers) {
    constexpr std::uintptr_t kSites = 50'000;
    const auto stream = open();
    const auto site = [&](std::uintptr_t i) {
        return stream->site(reinterpret_cast<const void*>(16 * i), reinterpret_cast<const void*>(i));
    };
    for (std::uintptr_t i = 1; i <= kSites; ++i)
        ASSERT_EQ(site(i), i);
    for (std::uintptr_t i = 1; i <= kSites; ++i)
        ASSERT_EQ(site(i), i);
    const auto sites = read().of_type(TEFF_REC_SITE);
    ASSERT_EQ(sites.size(), kSites);
    for (std::uintptr_t i = 1; i <= kSites; ++i)
        ASSERT_EQ(sites[i - 1].as<teff_rec_site>().call_site, 16 * i);
}

} // namespace
} // namespace teff::probe::trace
