// SPDX-License-Identifier: Apache-2.0
#include "machine/recording.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "machine/team.h"
#include "probe/trace/trace_reading.h"

namespace teff::machine {
namespace {

using probe::trace::contents;
using probe::trace::read_stream;
using probe::trace::ReadRecord;
using probe::trace::ReadStream;
using probe::trace::ScratchFolder;

const Setting kSetting = {.program = "made", .machine = "small", .policy = "none", .seed = 3, .clock_mhz = 2000};

Description machine() {
    return *parse_description("name small\nclock_mhz 2000\nnodes 2\ncores_per_node 2\nlinks 2 0-1\noutstanding 4\n"
                              "memory_cycles own 100 remote 200 hop 0\nload_cycles own 20 remote 40 hop 20\n"
                              "atomic_cycles own 30 remote 50 hop 20\ncontroller_cycles 1\noperation_cycles 1\n"
                              "creation_cycles 200\nwake_cycles 500\nsleep_cycles 2000\nspin_cycles 3000\n",
                              "small")
                .description;
}

class RecordingTest : public testing::Test {
  protected:
    ReadStream stream(unsigned number) {
        ReadStream read = read_stream(folder_ + "/stream-000" + std::to_string(number) + ".bin");
        EXPECT_EQ(read.error, "");
        return read;
    }
    ReadRecord only(unsigned number, unsigned type) {
        const auto found = stream(number).of_type(type);
        EXPECT_EQ(found.size(), 1u);
        return found.at(0);
    }
    // The RUN records of the explicit tasks, all of which one worker ran.
    static std::vector<ReadRecord> tasks_of(const ReadStream& stream) {
        std::set<std::uint64_t> implicit;
        std::vector<ReadRecord> runs;
        for (const ReadRecord& create : stream.of_type(TEFF_REC_CREATE))
            if ((create.flags() & TEFF_TASK_IMPLICIT) != 0) implicit.insert(create.as<teff_rec_create>().task);
        for (const ReadRecord& run : stream.of_type(TEFF_REC_RUN))
            if (!implicit.contains(run.as<teff_rec_run>().task)) runs.push_back(run);
        return runs;
    }
    static std::uint64_t ticks_of(const ReadRecord& run) {
        return run.as<teff_rec_run>().ticks_and_cpu & ((std::uint64_t{1} << 48) - 1);
    }

    ScratchFolder scratch_;
    std::string folder_ = scratch_.file("r.teff");
};

TEST_F(RecordingTest, SaysWhatItIsOf) {
    Setting setting = kSetting;
    setting.workers = {"core 0", "link"};
    Recording recording(folder_, setting, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/meta.json"));
    EXPECT_EQ(recording.finish(1'000'000 * kCycle), "");
    const std::string meta = contents(folder_ + "/meta.json"), end = contents(folder_ + "/end.json");
    for (const char* const words :
         {"\"ticks_per_second\": 2000000000", "\"modelled\": {", "\"machine\": \"small\"", "\"seed\": 3", "\"link\""})
        EXPECT_NE(meta.find(words), std::string::npos) << words << " in " << meta;
    EXPECT_NE(end.find("\"end_ticks\": 1000000"), std::string::npos) << end;
    EXPECT_NE(end.find("\"end_monotonic_ns\": 500000"), std::string::npos) << end;
}

TEST_F(RecordingTest, WritesATaskWithItsValuesAndItsCreator) {
    Recording recording(folder_, kSetting, 2);
    const NamedValue values[] = {{kMemoryStall, 300 * kCycle}, {"hops", 7}};
    recording.take(
        {.worker = 0, .kind = EventKind::creation, .begin = 10'500, .end = 30'000, .label = "map", .task = 5});
    recording.take({.worker = 1,
                    .kind = EventKind::task,
                    .begin = 50 * kCycle,
                    .end = 950 * kCycle,
                    .label = "map",
                    .task = 5,
                    .values = values});
    EXPECT_EQ(recording.finish(1000 * kCycle), "");
    const auto creates = stream(0).of_type(TEFF_REC_CREATE);
    const auto create = creates.back().as<teff_rec_create>();
    EXPECT_EQ(creates.back().when(), 10u);
    EXPECT_EQ(create.cost_ticks, 20u);
    EXPECT_EQ(create.task >> 48, 0u);
    EXPECT_EQ(only(0, TEFF_REC_SITE).as<teff_rec_site>().call_site, 1u);
    const auto runs = tasks_of(stream(1));
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].as<teff_rec_run>().task, create.task);
    EXPECT_EQ(runs[0].flags(), unsigned{TEFF_RUN_STOLEN});
    EXPECT_EQ(runs[0].when(), 50u);
    EXPECT_EQ(ticks_of(runs[0]), 900u);
    const auto counts = stream(1).of_type(TEFF_REC_COUNTS);
    ASSERT_EQ(counts.size(), 2u);
    const auto value = [&](std::size_t at) {
        std::uint64_t found = 0;
        std::memcpy(&found, counts[at].bytes.data() + sizeof(teff_rec_counts), sizeof found);
        return found;
    };
    EXPECT_EQ(value(0), 300u);
    EXPECT_EQ(value(1), 7u);
    EXPECT_EQ(counts[0].as<teff_rec_counts>().task, create.task);
    EXPECT_EQ(stream(1).of_type(TEFF_REC_COUNTER).size(), 2u);
}

TEST_F(RecordingTest, NumbersBarriersAndKnowsWhoWaits) {
    Recording recording(folder_, kSetting, 1);
    recording.take({.kind = EventKind::creation, .begin = 0, .end = 1000, .task = 1});
    recording.take({.kind = EventKind::wait, .begin = 2000, .end = 3000, .by = 1});
    recording.take({.kind = EventKind::task, .begin = 1000, .end = 4000, .task = 1});
    for (const Time at : {5000u, 7000u})
        recording.take({.kind = EventKind::barrier, .begin = at, .end = at + 1000});
    EXPECT_EQ(recording.finish(9000), "");
    const auto waits = stream(0).of_type(TEFF_REC_WAIT);
    ASSERT_EQ(waits.size(), 4u);
    EXPECT_EQ(waits[0].flags(), unsigned{TEFF_WAIT_TASKGROUP});
    EXPECT_EQ(waits[0].as<teff_rec_wait>().task, tasks_of(stream(0)).at(0).as<teff_rec_run>().task);
    EXPECT_EQ(waits[1].as<teff_rec_wait>().barrier, 1u);
    EXPECT_EQ(waits[2].as<teff_rec_wait>().barrier, 2u);
    EXPECT_EQ(waits[3].flags(), unsigned{TEFF_WAIT_REGION_END});
}

// A predecessor that has ended is also recorded, although no task had to wait for it. A task that
// has not been created cannot be recorded as a predecessor.
TEST_F(RecordingTest, NamesWhatATaskComesAfter) {
    Recording recording(folder_, kSetting, 1);
    recording.take({.kind = EventKind::creation, .begin = 0, .end = 1000, .task = 1});
    recording.take({.kind = EventKind::creation, .begin = 1000, .end = 2000, .task = 2});
    recording.take({.kind = EventKind::task, .begin = 2000, .end = 3000, .task = 1});
    const std::uint32_t before[] = {1, 2, 77};
    recording.take({.kind = EventKind::creation, .begin = 3000, .end = 4000, .task = 3, .after = before});
    for (const std::uint32_t task : {2u, 3u})
        recording.take({.kind = EventKind::task, .begin = 4000, .end = 5000, .task = task});
    EXPECT_EQ(recording.finish(9000), "");
    const auto runs = tasks_of(stream(0));
    const auto edges = stream(0).of_type(TEFF_REC_DEP);
    ASSERT_EQ(edges.size(), 2u);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        EXPECT_EQ(edges[i].as<teff_rec_dep>().predecessor, runs.at(i).as<teff_rec_run>().task);
        EXPECT_EQ(edges[i].as<teff_rec_dep>().successor, runs.at(2).as<teff_rec_run>().task);
    }
    EXPECT_NE(edges[0].flags() & TEFF_DEP_FULFILLED, 0u);
    EXPECT_EQ(edges[1].flags() & TEFF_DEP_FULFILLED, 0u);
}

TEST_F(RecordingTest, FillsChunksToTheirEnd) {
    Recording recording(folder_, kSetting, 1);
    for (std::uint32_t i = 0; i < 40'000; ++i)
        recording.take({.kind = EventKind::task, .begin = i * kCycle, .end = (i + 1) * kCycle, .label = "t"});
    EXPECT_EQ(recording.finish(40'000 * kCycle), "");
    EXPECT_GT(stream(0).chunks.size(), 2u);
    EXPECT_EQ(tasks_of(stream(0)).size(), 40'000u);
}

TEST_F(RecordingTest, RefusesAFolderThatIsThere) {
    std::filesystem::create_directory(folder_);
    Recording recording(folder_, kSetting, 1);
    recording.take({.kind = EventKind::task, .end = 1000});
    EXPECT_NE(recording.finish(1000).find("r.teff: File exists"), std::string::npos);
}

TEST_F(RecordingTest, LeavesNothingOfARunThatDoesNotEnd) {
    {
        Recording recording(folder_, kSetting, 2);
    }
    EXPECT_FALSE(std::filesystem::exists(folder_));
    std::filesystem::create_directory(folder_);
    {
        Recording recording(folder_, kSetting, 2);
    }
    EXPECT_TRUE(std::filesystem::exists(folder_));
}

// The recorded events agree with the outcome of the run, and recording does not change the outcome.
TEST_F(RecordingTest, HoldsEachTaskOfARunWithItsWaitsForMemory) {
    const Description description = machine();
    const Program program = map(24, 64 << 10, sizeof(double));
    for (const Schedule schedule : {Schedule::work_stealing, Schedule::central, Schedule::thesis_hops}) {
        const Trial trial = {.schedule = schedule, .spreading = Spreading::coarse};
        folder_ = scratch_.file(std::to_string(static_cast<unsigned>(schedule)));
        Recording recording(folder_, kSetting, description.cores());
        const Outcome told = run(program, description, trial, &recording), silent = run(program, description, trial);
        ASSERT_EQ(recording.finish(told.end), "");
        EXPECT_EQ(told.end, silent.end);
        std::map<std::uint64_t, std::uint64_t> stalls;
        std::size_t tasks = 0;
        for (unsigned i = 0; i < description.cores(); ++i) {
            for (const ReadRecord& counts : stream(i).of_type(TEFF_REC_COUNTS)) {
                std::uint64_t& stall = stalls[counts.as<teff_rec_counts>().task];
                std::memcpy(&stall, counts.bytes.data() + sizeof(teff_rec_counts), sizeof stall);
            }
            for (const ReadRecord& run : tasks_of(stream(i))) {
                ++tasks;
                const std::uint64_t stall = stalls.at(run.as<teff_rec_run>().task);
                EXPECT_GT(stall, 0u);
                EXPECT_LT(stall, ticks_of(run));
            }
            EXPECT_EQ(tasks_of(stream(i)).size(), told.tasks_on(i));
        }
        EXPECT_EQ(tasks, program.tasks.size());
    }
}

} // namespace
} // namespace teff::machine
