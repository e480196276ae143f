// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/short_records.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <tuple>
#include <vector>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

using ShortRecordsTest = StreamTest;

// How large each record is between the chunk's first ones and the next chunk, but for MOVED.
std::vector<std::size_t> sizes_in(const std::string& path) {
    const std::string file = contents(path);
    teff_chunk_header header;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<std::size_t> sizes;
    for (std::size_t at = header.header_bytes, bytes = 0; file[at] != TEFF_REC_NONE; at += bytes) {
        bytes = record_bytes(header, file.data() + at);
        if (file[at] != TEFF_REC_MOVED) sizes.push_back(bytes);
    }
    sizes.erase(sizes.begin(), sizes.begin() + kAtChunkStart);
    return sizes;
}

std::uint64_t id(std::uint64_t stream, std::uint64_t ordinal) { return stream << 48 | ordinal; }

TEST_F(ShortRecordsTest, CreationsOfOneTaskInARowAreShort) {
    const Ticks t = origin_.ticks;
    const auto stream = open();
    stream->create(t + 1, TEFF_TASK_UNTIED, id(3, 7), id(1, 2), 5, 100);
    stream->create(t + 2, TEFF_TASK_FINAL, id(3, 8), id(1, 2), 6, 0xffff'ffff); // short
    stream->creation_begins(t + 3, 0, id(3, 9), id(1, 2), 7);                   // short
    stream->creation_ends(t + 30);
    stream->create(t + 4, 0, id(3, 10), id(1, 3), 5, 0); // another parent
    stream->create(t + 5, 0, id(3, 12), id(1, 3), 5, 0); // one was left out
    stream->create(t + 6, 0, id(3, 12), id(1, 3), 5, 0); // not the next
    EXPECT_EQ(sizes_in(folder_.file("stream-0003.bin")), (std::vector<std::size_t>{32, 16, 16, 32, 32, 32}));
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const std::tuple<std::uint64_t, std::uint64_t, unsigned, unsigned> expected[] = {
        {id(3, 7), id(1, 2), 5, 100}, {id(3, 8), id(1, 2), 6, 0xffff'ffff}, {id(3, 9), id(1, 2), 7, 27},
        {id(3, 10), id(1, 3), 5, 0},  {id(3, 12), id(1, 3), 5, 0},          {id(3, 12), id(1, 3), 5, 0}};
    const auto found = all.of_type(TEFF_REC_CREATE);
    ASSERT_EQ(found.size(), std::size(expected));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto record = found[i].as<teff_rec_create>();
        EXPECT_EQ(std::tuple(record.task, record.parent, record.site, record.cost_ticks), expected[i]) << i;
        EXPECT_EQ(found[i].when(), i + 1);
    }
    EXPECT_EQ(found[1].flags(), unsigned{TEFF_TASK_FINAL});
}

// Keeps the thread on its processor, which a SHORT_TASK requires.
void stay_on_processor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

TEST_F(ShortRecordsTest, TasksRunAtOnceHaveOneRecord) {
    stay_on_processor();
    const Ticks t = origin_.ticks;
    const std::uint64_t parent = id(1, 2), region = id(0, 1);
    const auto stream = open();
    const auto run_at_once = [&](std::uint64_t ordinal, std::uint8_t flags, std::uint32_t site, auto&& body) {
        const Ticks met = t + 100 * ordinal, began = met + 7, ended = began + 20;
        const char* const record = stream->task_begins_at_once(met, flags, id(3, ordinal), parent, site, region);
        stream->creation_ends(began);
        body();
        if (stream->task_ends_at_once(record, began, ended)) return true;
        stream->run(began, ended, 0, id(3, ordinal), region);
        return false;
    };
    const auto nothing = [] {};
    EXPECT_FALSE(run_at_once(1, 0, 5, nothing)); // the chunk's first CREATE and RUN: 32, 32
    EXPECT_TRUE(run_at_once(2, 0, 5, nothing));
    EXPECT_TRUE(run_at_once(3, TEFF_TASK_UNDEFERRED, 5, nothing));
    EXPECT_FALSE(run_at_once(4, 0, 6, nothing));                                             // another site
    EXPECT_FALSE(run_at_once(5, 0, 6, [&] { stream->group_begin(t + 510, id(3, 5)); }));     // the body has a record
    EXPECT_FALSE(run_at_once(6, 0, 6, [&] { EXPECT_TRUE(run_at_once(7, 0, 6, nothing)); })); // it has a task
    EXPECT_EQ(sizes_in(folder_.file("stream-0003.bin")),
              (std::vector<std::size_t>{32, 32, 16, 16, 16, 16, 16, 32, 16, 16, 16, 16}));
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto created = all.of_type(TEFF_REC_CREATE), ran = all.of_type(TEFF_REC_RUN);
    ASSERT_EQ(created.size(), 7u);
    ASSERT_EQ(ran.size(), 7u);
    for (std::size_t i = 0; i < created.size(); ++i) {
        const auto create = created[i].as<teff_rec_create>();
        EXPECT_EQ(created[i].when(), 100 * (i + 1));
        EXPECT_EQ(std::tuple(create.task, create.parent, create.site, create.cost_ticks),
                  std::tuple(id(3, i + 1), parent, i < 3 ? 5u : 6u, 7u));
    }
    EXPECT_EQ(created[2].flags(), unsigned{TEFF_TASK_UNDEFERRED});
    const std::uint64_t order[] = {1, 2, 3, 4, 5, 7, 6}; // a task's RUN comes after those in its body
    for (std::size_t i = 0; i < ran.size(); ++i) {
        const auto run = ran[i].as<teff_rec_run>();
        EXPECT_EQ(ran[i].when(), 100 * order[i] + 7);
        EXPECT_EQ(std::tuple(run.task, run.ticks_and_cpu << 16 >> 16, run.region),
                  std::tuple(id(3, order[i]), 20u, region));
        EXPECT_EQ(run.ticks_and_cpu >> 48, ran[0].as<teff_rec_run>().ticks_and_cpu >> 48);
    }
    const auto waits = all.of_type(TEFF_REC_WAIT); // of those that are whole and were deferred: 2 and 7
    ASSERT_EQ(waits.size(), 2u);
    for (const std::size_t i : {0, 1}) {
        const auto wait = waits[i].as<teff_rec_wait>();
        EXPECT_EQ(waits[i].flags(), unsigned{TEFF_WAIT_RUN_AT_ONCE});
        EXPECT_EQ(waits[i].when(), i == 0 ? 207u : 707u);
        EXPECT_EQ(std::tuple(wait.task, wait.ticks_and_ordinal, wait.site, wait.barrier),
                  std::tuple(parent, 20u, i == 0 ? 5u : 6u, 0u));
    }
}

// A record that was left in another chunk, or whose chunk's memory is in use again, is not changed.
TEST_F(ShortRecordsTest, ATaskRunAtOnceDoesNotEndInAnotherChunk) {
    stay_on_processor();
    const Ticks t = origin_.ticks;
    const auto stream = open();
    stream->create(t, 0, id(3, 1), id(1, 2), 5, 1);
    stream->run(t, t + 1, 0, id(3, 1), 1);
    const char* const record = stream->task_begins_at_once(t + 2, 0, id(3, 2), id(1, 2), 5, 1);
    stream->creation_ends(t + 4);
    for (std::size_t i = 0; i < TEFF_TRACE_CHUNK_BYTES / sizeof(teff_rec_group_begin); ++i)
        stream->group_begin(t + 5, id(3, 2));
    EXPECT_FALSE(stream->task_ends_at_once(record, t + 4, t + 6));
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    EXPECT_GE(all.chunks.size(), 2u);
    EXPECT_EQ(all.of_type(TEFF_REC_CREATE).back().as<teff_rec_create>().cost_ticks, 2u);
    EXPECT_EQ(all.of_type(TEFF_REC_RUN).size(), 1u);
}

// The buffers are used in turn: a task within the body may have its record where the task itself
// had its own, two chunks before.
TEST_F(ShortRecordsTest, ATaskRunAtOnceDoesNotEndInTheRecordOfALaterTask) {
    stay_on_processor();
    const Ticks t = origin_.ticks;
    const auto stream = open();
    for (int i = 0; i < 100; ++i) // more than the later chunk begins with
        stream->group_begin(t, id(1, 2));
    stream->create(t, 0, id(3, 1), id(1, 2), 5, 1);
    stream->run(t, t + 1, 0, id(3, 1), 1);
    const auto begin = [&](std::uint64_t ordinal, std::uint64_t parent) {
        const char* const record = stream->task_begins_at_once(t + 2, 0, id(3, ordinal), parent, 5, 1);
        stream->creation_ends(t + 4);
        return record;
    };
    const char* const outer = begin(2, id(1, 2));
    std::uint64_t last = 2;
    bool is_whole = false;
    for (const char* inner = nullptr; inner != outer;) {
        ASSERT_LT(last, 10 * TEFF_TRACE_CHUNK_BYTES / sizeof(teff_rec_short_task));
        inner = begin(++last, id(3, 2));
        is_whole = stream->task_ends_at_once(inner, t + 4, t + 6);
        if (!is_whole) stream->run(t + 4, t + 6, 0, id(3, last), 1);
    }
    ASSERT_TRUE(is_whole);
    EXPECT_FALSE(stream->task_ends_at_once(outer, t + 4, t + 99));
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto run = all.of_type(TEFF_REC_RUN).back().as<teff_rec_run>();
    EXPECT_EQ(std::tuple(run.task, run.ticks_and_cpu << 16 >> 16), std::tuple(id(3, last), 2u));
}

TEST_F(ShortRecordsTest, RunsOfOneRegionOnOneProcessorAreShort) {
    constexpr Ticks kShort = 0xff'ffff, kLong = kShort + 1;
    const Ticks t = origin_.ticks;
    const auto stream = open();
    const struct {
        std::uint64_t task, region;
        Ticks ticks;
        std::size_t bytes;
    } runs[] = {
        {id(3, 1), id(0, 1), 5, 32},   {id(255, 0xffff'ffff), id(0, 1), kShort, 16},
        {id(0, 1), id(0, 1), 0, 16},   {id(0, 2), id(0, 1), kLong, 32},
        {id(256, 1), id(0, 1), 1, 32}, {id(0, 0x1'0000'0000), id(0, 1), 1, 32},
        {id(0, 2), id(0, 2), 1, 32},   {id(0, 3), id(0, 2), 1, 16},
    };
    stay_on_processor();
    const auto processor = static_cast<std::uint64_t>(sched_getcpu());
    for (const auto& run : runs)
        stream->run(t + 1, t + 1 + run.ticks, TEFF_RUN_STOLEN, run.task, run.region);
    const std::vector<std::size_t> sizes = sizes_in(folder_.file("stream-0003.bin"));
    const ReadStream all = read();
    const auto found = all.of_type(TEFF_REC_RUN);
    ASSERT_EQ(found.size(), std::size(runs));
    for (std::size_t i = 0; i < std::size(runs); ++i) {
        const auto record = found[i].as<teff_rec_run>();
        EXPECT_EQ(record.task, runs[i].task) << i;
        EXPECT_EQ(record.region, runs[i].region) << i;
        EXPECT_EQ(record.ticks_and_cpu, runs[i].ticks | processor << 48) << i;
        EXPECT_EQ(found[i].flags(), unsigned{TEFF_RUN_STOLEN}) << i;
        EXPECT_EQ(sizes[i], runs[i].bytes) << i;
    }
}

TEST_F(ShortRecordsTest, DependencesOfTheNewTaskOnNearAddressesAreShort) {
    constexpr std::uint64_t kStack = 0x7ffe'0000'0000, kHeap = 0x55aa'0000'0000, kFar = 0x1234'5678'9abc'def0;
    const Ticks t = origin_.ticks;
    const auto stream = open();
    stream->create(t, 0, id(3, 0x1'0000'0000), id(0, 1), 1, 1);
    const std::uint64_t task = id(3, 0x1'0000'0000);
    const struct {
        std::uint64_t successor, predecessor, address;
        std::size_t bytes;
    } dependences[] = {
        {task, task - 1, kStack, 32},
        {task, task - 2, kStack + 0x7fff'ffff, 16},
        {task, task - 3, kStack - 1, 16}, // 2^31 below
        {task, task - 1, kHeap, 32},
        {task, task - 1, kStack + 8, 16}, // near the other one
        {task, task - 1, kHeap + 8, 16},
        {task, task - 1, kHeap + 0x8000'0007, 16},
        {task, task - 0x7fff'ffff, kHeap, 32},     // too far from both: the stack is forgotten
        {task, task - 0x7fff'ffff, kHeap - 4, 16}, //
        {task, task - 0x8000'0000, kHeap - 4, 32}, // too far back
        {task, id(2, 5), kHeap, 32},               // of another stream
        {task + 1, task, kHeap, 32},               // not of the new task
        {task, task + 1, kHeap, 32},               // forward
        {task, task - 1, kFar, 32},
        {task, task - 1, 0, 32},
        {task, task - 1, kFar - 1, 16},
    };
    const unsigned flags = unsigned{TEFF_DEP_INOUTSET} | TEFF_DEP_FULFILLED | TEFF_DEP_OF_WAIT;
    for (const auto& dependence : dependences)
        stream->dependence(t + 9, static_cast<std::uint8_t>(flags), dependence.successor, dependence.predecessor,
                           dependence.address);
    const std::vector<std::size_t> sizes = sizes_in(folder_.file("stream-0003.bin"));
    const ReadStream all = read();
    const auto found = all.of_type(TEFF_REC_DEP);
    ASSERT_EQ(found.size(), std::size(dependences));
    for (std::size_t i = 0; i < std::size(dependences); ++i) {
        const auto record = found[i].as<teff_rec_dep>();
        EXPECT_EQ(record.successor, dependences[i].successor) << i;
        EXPECT_EQ(record.predecessor, dependences[i].predecessor) << i;
        EXPECT_EQ(record.address, dependences[i].address) << i;
        EXPECT_EQ(found[i].flags(), flags) << i;
        EXPECT_EQ(found[i].when(), 9u) << i;
        EXPECT_EQ(sizes[i + 1], dependences[i].bytes) << i; // behind CREATE
    }
}

TEST_F(ShortRecordsTest, WaitsAtTheSiteOfTheLastOneOfTheirKindAreShort) {
    constexpr Ticks kShort = 0xff'ffff, kLong = kShort + 1;
    const Ticks t = origin_.ticks;
    const auto stream = open();
    const struct {
        teff_wait_kind kind;
        std::uint64_t task;
        Ticks ticks;
        std::uint32_t site, barrier, departures;
        std::size_t bytes;
    } waits[] = {
        {TEFF_WAIT_TASKWAIT, id(3, 1), 5, 7, 0, 0, 32},
        {TEFF_WAIT_TASKWAIT, id(255, 0xffff'ffff), kShort, 7, 0, 0, 16},
        {TEFF_WAIT_RUN_AT_ONCE, id(3, 2), 5, 7, 0, 0, 32}, // another kind
        {TEFF_WAIT_TASKWAIT, id(3, 3), 6, 8, 0, 0, 32},    // another site
        {TEFF_WAIT_RUN_AT_ONCE, id(3, 2), 5, 7, 0, 0, 16},
        {TEFF_WAIT_TASKWAIT, id(3, 4), kLong, 8, 0, 0, 32},
        {TEFF_WAIT_TASKWAIT, id(3, 4), 1, 8, 0, 1, 32}, // left its stack
        {TEFF_WAIT_TASKWAIT, id(256, 4), 1, 8, 0, 0, 32},
        {TEFF_WAIT_BARRIER, id(3, 4), 1, 8, 1, 0, 32},
        {TEFF_WAIT_BARRIER, id(3, 4), 1, 8, 2, 0, 32},
        {TEFF_WAIT_BARRIER, id(3, 4), 1, 8, 0, 0, 16},
    };
    for (const auto& wait : waits)
        stream->wait(t + 1, t + 1 + wait.ticks, wait.kind, wait.task, wait.site, wait.barrier, wait.departures);
    const std::vector<std::size_t> sizes = sizes_in(folder_.file("stream-0003.bin"));
    const ReadStream all = read();
    const auto found = all.of_type(TEFF_REC_WAIT);
    ASSERT_EQ(found.size(), std::size(waits));
    for (std::size_t i = 0; i < std::size(waits); ++i) {
        const auto record = found[i].as<teff_rec_wait>();
        EXPECT_EQ(record.task, waits[i].task) << i;
        EXPECT_EQ(record.ticks_and_ordinal, waits[i].ticks | std::uint64_t{waits[i].departures} << 48) << i;
        EXPECT_EQ(std::tuple(record.site, record.barrier), std::tuple(waits[i].site, waits[i].barrier)) << i;
        EXPECT_EQ(found[i].flags(), unsigned{waits[i].kind}) << i;
        EXPECT_EQ(found[i].when(), 1u) << i;
        EXPECT_EQ(sizes[i], waits[i].bytes) << i;
    }
}

TEST_F(ShortRecordsTest, ChunksOfOneLoopAndLengthAreShort) {
    constexpr Ticks kShort = 0xff'ffff, kLong = kShort + 1;
    constexpr std::int64_t kFar = std::int64_t{1} << 39, kLeast = INT64_MIN;
    const Ticks t = origin_.ticks;
    const auto stream = open();
    const struct {
        std::uint64_t loop, task;
        std::int64_t first;
        std::uint64_t iterations;
        Ticks ticks;
        std::size_t bytes;
    } chunks[] = {
        {id(3, 1), id(3, 9), -5, 4, 5, 48},        {id(3, 1), id(3, 9), 3, 4, kShort, 16},
        {id(3, 1), id(3, 9), -1, 4, 0, 16},                                            // backwards
        {id(3, 1), id(3, 9), 3, 4, kLong, 48},     {id(3, 1), id(3, 9), 7, 3, 1, 48},  // another length
        {id(3, 1), id(3, 8), 11, 3, 1, 48},                                            // another task
        {id(3, 2), id(3, 8), 15, 3, 1, 48},                                            // another loop
        {id(3, 2), id(3, 8), 14 + kFar, 3, 1, 16}, {id(3, 2), id(3, 8), 14, 3, 1, 16}, // as far back as can be said
        {id(3, 2), id(3, 8), 14 + kFar, 3, 1, 48}, {id(3, 2), id(3, 8), 13, 3, 1, 48},
        {id(3, 2), id(3, 8), kLeast, 3, 1, 48},    {id(3, 2), id(3, 8), INT64_MAX, 3, 1, 16}, // one less, modulo 2^64
    };
    for (const auto& chunk : chunks)
        stream->chunk(t + 1, t + 1 + chunk.ticks, chunk.loop, chunk.task, chunk.first, chunk.iterations);
    const std::vector<std::size_t> sizes = sizes_in(folder_.file("stream-0003.bin"));
    const ReadStream all = read();
    const auto found = all.of_type(TEFF_REC_CHUNK);
    ASSERT_EQ(found.size(), std::size(chunks));
    for (std::size_t i = 0; i < std::size(chunks); ++i) {
        const auto record = found[i].as<teff_rec_chunk>();
        EXPECT_EQ(std::tuple(record.loop, record.task), std::tuple(chunks[i].loop, chunks[i].task)) << i;
        EXPECT_EQ(std::tuple(record.first, record.iterations), std::tuple(chunks[i].first, chunks[i].iterations)) << i;
        EXPECT_EQ(record.ticks_and_cpu & 0xffff'ffff'ffff, chunks[i].ticks) << i;
        EXPECT_EQ(record.ticks_and_cpu >> 48, found[0].as<teff_rec_chunk>().ticks_and_cpu >> 48) << i;
        EXPECT_EQ(found[i].when(), 1u) << i;
        EXPECT_EQ(sizes[i], chunks[i].bytes) << i;
    }
}

// A chunk is read alone: its first record of each type is whole.
TEST_F(ShortRecordsTest, AChunkLeavesNothingToTheChunksBefore) {
    constexpr std::uint64_t kTasks = 4 * kSmallPerChunk;
    const auto stream = open();
    for (std::uint64_t i = 1; i <= kTasks; ++i) {
        stream->create(origin_.ticks, 0, id(3, i), id(0, 1), 1, 2);
        stream->dependence(origin_.ticks, 0, id(3, i), id(3, i - 1), 0x7000 + i);
    }
    const ReadStream all = read();
    const std::string file = contents(folder_.file("stream-0003.bin"));
    const std::vector<std::size_t> begins = chunks_in_order(file);
    ASSERT_GT(all.chunks.size(), 2u);
    for (std::size_t chunk = 0; chunk < all.chunks.size(); ++chunk) {
        ReadStream alone;
        read_chunk(file, begins.at(chunk), alone);
        std::vector<std::string> there;
        for (const ReadRecord& record : all.records)
            if (record.chunk == chunk) there.push_back(record.bytes);
        ASSERT_EQ(alone.records.size(), there.size());
        for (std::size_t i = 0; i < there.size(); ++i)
            ASSERT_EQ(alone.records[i].bytes, there[i]) << i;
    }
    const auto creations = all.of_type(TEFF_REC_CREATE);
    ASSERT_EQ(creations.size(), kTasks);
    for (std::uint64_t i = 0; i < kTasks; ++i)
        ASSERT_EQ(creations[i].as<teff_rec_create>().task, id(3, i + 1));
}

} // namespace
} // namespace teff::probe::trace
