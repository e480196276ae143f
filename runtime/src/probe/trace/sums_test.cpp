// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

// The sums over records that a reader has read, computed from the records alone.
class Expected {
  public:
    explicit Expected(std::uint64_t base) : base_(base) {}

    void add(const ReadRecord& record) {
        switch (record.type()) {
        case TEFF_REC_CREATE:
            return created(record, record.as<teff_rec_create>());
        case TEFF_REC_RUN:
            return ran(record, record.as<teff_rec_run>());
        case TEFF_REC_WAIT:
            sums.waits += (record.flags() & 0xff) != TEFF_WAIT_RUN_AT_ONCE; // here they follow from SHORT_TASKs only
            sums.task_ticks -= record.as<teff_rec_wait>().ticks_and_ordinal & kTicks;
            return;
        case TEFF_REC_DEP:
            ++sums.dependences;
            return;
        case TEFF_REC_LOOP:
            ++sums.loops;
            return;
        case TEFF_REC_CHUNK:
            ++sums.chunks;
            sums.loop_ticks -= record.as<teff_rec_chunk>().ticks_and_cpu & kTicks;
            return;
        case TEFF_REC_LOOP_THREAD:
            sums.loop_ticks += record.as<teff_rec_loop_thread>().ticks;
            return;
        case TEFF_REC_REGION:
            ++sums.regions;
            ++sums.open_regions;
            sums.region_ticks -= base_ + record.when();
            return;
        case TEFF_REC_REGION_END:
            --sums.open_regions;
            sums.region_ticks += base_ + record.when();
            return;
        case TEFF_REC_IDLE:
            sums.idle_ticks += record.as<teff_rec_idle>().ticks;
            return;
        case TEFF_REC_OFF:
            sums.off_ticks += record.as<teff_rec_off>().ticks;
            return;
        case TEFF_REC_WINDOW:
            ++sums.windows;
            return;
        }
    }

    teff_rec_sums sums{};

  private:
    static constexpr std::uint64_t kTicks = (std::uint64_t{1} << 48) - 1;

    void created(const ReadRecord& record, const teff_rec_create& create) {
        if ((record.flags() & TEFF_TASK_IMPLICIT) == 0) {
            ++sums.tasks;
            sums.creation_ticks += create.cost_ticks;
            return;
        }
        ++sums.implicit_tasks;
        if (create.parent != 0) return;
        ++sums.open_initial_tasks;
        sums.initial_tasks_began += base_ + record.when();
        if (sums.first_initial_task == 0) sums.first_initial_task = base_ + record.when();
    }
    void ran(const ReadRecord& record, const teff_rec_run& run) {
        if ((record.flags() & TEFF_RUN_ON_TOP) == 0) sums.task_ticks += run.ticks_and_cpu & kTicks;
        if ((record.flags() & TEFF_RUN_INITIAL) == 0) return;
        --sums.open_initial_tasks;
        sums.initial_tasks_began -= base_ + record.when();
    }

    std::uint64_t base_;
};

class SumsTest : public StreamTest {
  protected:
    // One round of everything that is summed, with other lengths in each round.
    void record_round(Stream& stream, std::uint64_t i) const {
        const base::Ticks at = origin_.ticks + i * 100;
        const std::uint64_t task = std::uint64_t{3} << 48 | i * 4;
        if (i % 1'000 == 1) stream.initial_task(at, task);
        stream.region(at, i, 1, 1, 2, 2, 1);
        stream.create(at, TEFF_TASK_IMPLICIT, task + 1, task, 1, 1); // its cost is no time
        stream.create(at, 0, task + 2, task + 1, 1, i % 7);
        stream.creation_begins(at, 0, task + 3, task + 1, 1);
        stream.creation_ends(at + i % 11);
        stream.dependence(at, 0, task + 3, task + 2, i);
        stream.run(at, at + 20 + i % 13, 0, task + 2, i);
        stream.run(at, at + 30, i % 2 != 0 ? TEFF_RUN_ON_TOP : 0, task + 3, i);
        stream.wait(at, at + 40 + i % 5, TEFF_WAIT_TASKWAIT, task + 1, 1, 0);
        stream.loop(at, 0, i, i, 1, 2, 0, 1, 1, 1);
        stream.chunk(at, at + i % 17, i, task + 1, 0, 1);
        stream.loop_thread(at, at + 20, i, task + 1);
        stream.idle(at, at + i % 19, 0);
        if (i % 3 == 0) stream.region_end(at + 90, i);
        if (i % 1'000 == 999) stream.run(at, at + 9, TEFF_RUN_INITIAL, task, 0);
        run_at_once(stream, at, task + 4, i % 2 != 0 ? TEFF_TASK_UNDEFERRED : 0);
    }

  private:
    static void run_at_once(Stream& stream, base::Ticks at, std::uint64_t task, unsigned flags) {
        const char* const record =
            stream.task_begins_at_once(at, static_cast<std::uint8_t>(flags), task, task - 3, 1, task);
        stream.creation_ends(at + 3);
        if (stream.task_ends_at_once(record, at + 3, at + 8)) return;
        stream.run(at + 3, at + 8, flags != 0 ? TEFF_RUN_ON_TOP : 0, task, task);
        if (flags == 0) stream.wait(at + 3, at + 8, TEFF_WAIT_RUN_AT_ONCE, task - 3, 1, 0);
    }
};

bool are_equal(const teff_rec_sums& one, const teff_rec_sums& other) {
    return std::memcmp(&one.tasks, &other.tasks, sizeof one - sizeof one.head) == 0;
}

TEST_F(SumsTest, EachChunkBeginsWithTheSumsOfAllRecordsBefore) {
    const auto stream = open();
    constexpr std::uint64_t kRounds = 10'000;
    for (std::uint64_t i = 1; i <= kRounds; ++i)
        record_round(*stream, i);
    stream->close();
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    ASSERT_GE(all.chunks.size(), 4u);
    Expected expected(origin_.ticks);
    std::size_t found = 0;
    for (const ReadRecord& record : all.records) {
        if (record.type() != TEFF_REC_SUMS) {
            expected.add(record);
            continue;
        }
        // These waits have records of their own, if the tasks could not be stored as one record.
        auto sums = record.as<teff_rec_sums>();
        EXPECT_GE(sums.waits, expected.sums.waits);
        sums.waits = expected.sums.waits;
        EXPECT_TRUE(are_equal(sums, expected.sums)) << "before chunk " << record.chunk;
        ++found;
    }
    EXPECT_EQ(found, all.chunks.size() - 1) << "nothing is before the first chunk";
    EXPECT_GT(expected.sums.tasks, kRounds);
}

} // namespace
} // namespace teff::probe::trace
