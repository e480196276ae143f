// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "base/arch/arch.h"
#include "probe/trace/stream_fixture.h"

namespace teff::probe::trace {
namespace {

constexpr std::size_t kFreshPage = base::arch::kPageBytes;

// Touches pages that have not been touched before, each of them once.
class FreshPages {
  public:
    FreshPages() {
        constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
        pages_ = static_cast<volatile char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0));
        madvise(const_cast<char*>(pages_), kBytes, MADV_NOHUGEPAGE);
    }
    ~FreshPages() { munmap(const_cast<char*>(pages_), kBytes); }
    FreshPages(const FreshPages&) = delete;
    FreshPages& operator=(const FreshPages&) = delete;

    // Without the sanitizers' own stores, which touch pages of their shadow memory.
    [[gnu::no_sanitize_address, gnu::no_sanitize_thread, gnu::noinline]] void touch(int pages) {
        for (int i = 0; i < pages; ++i)
            pages_[touched_++ * kFreshPage] = 1;
    }

  private:
    static constexpr std::size_t kBytes = 1000 * kFreshPage;
    volatile char* pages_;
    std::size_t touched_ = 0;
};

struct ReadCounts {
    unsigned flags;
    std::uint64_t task, ticks, all_ticks; // `ticks`: of the shorter reading
    std::vector<std::uint64_t> values;

    explicit ReadCounts(const ReadRecord& record) : flags(record.flags()) {
        const auto fixed = record.as<teff_rec_counts>();
        task = fixed.task;
        ticks = std::min(fixed.ticks_before, fixed.ticks_after);
        all_ticks = Ticks{fixed.ticks_before} + fixed.ticks_after;
        values.resize(fixed.values_bytes / 8);
        if (!values.empty()) std::memcpy(values.data(), record.bytes.data() + sizeof fixed, fixed.values_bytes);
    }
};

class StreamCountsTest : public StreamTest {
  protected:
    // The tests count pages.
    void SetUp() override {
        if constexpr (!base::arch::kCanLackThreadLocals)
            GTEST_SKIP() << "the records touch the sanitizer's memory, too";
    }

    OpenStream counting(const char* events) {
        events_ = CountedEvents::parse(events);
        OpenStream stream = open();
        stream->count_events(events_);
        stream->begin_thread();
        // What this code needs itself is touched here.
        stream->fragment_begins(kFirst, false);
        pages_.touch(1);
        stream->fragment_begins(kFirst, true);
        stream->fragment_ends();
        return stream;
    }

    // But for those of the task kFirst.
    std::vector<ReadCounts> counts(unsigned flag = TEFF_COUNTS_FRAGMENT) {
        std::vector<ReadCounts> found;
        const ReadStream stream = read();
        EXPECT_EQ(stream.error, "");
        for (const ReadRecord& record : stream.of_type(TEFF_REC_COUNTS))
            if (const ReadCounts counts(record); (counts.flags & flag) != 0 && counts.task != kFirst)
                found.push_back(counts);
        return found;
    }

    static constexpr std::uint64_t kFirst = 1;
    CountedEvents events_;
    FreshPages pages_;
};

TEST_F(StreamCountsTest, AFragmentHasWhatIsCountedInIt) {
    OpenStream stream = counting("page-faults=1:2,minor-faults=1:5");
    const auto count = [&](std::uint64_t task, std::uint64_t next) {
        stream->fragment_begins(task, false);
        pages_.touch(3);
        stream->fragment_ends();
        pages_.touch(10); // the runtime's
        stream->fragment_begins(task, true);
        pages_.touch(4);
        stream->fragment_begins(next, false);
        pages_.touch(5);
        stream->fragment_ends();
        stream->fragment_ends();
    };
    count(kFirst, kFirst); // the pages of the test's own code
    count(7, 8);
    const auto found = counts();
    ASSERT_EQ(found.size(), 3u);
    using Values = std::vector<std::uint64_t>;
    EXPECT_EQ(found[0].values, (Values{3, 3}));
    EXPECT_EQ(found[0].flags, TEFF_COUNTS_FRAGMENT);
    EXPECT_EQ(found[1].values, (Values{4, 4}));
    EXPECT_EQ(found[1].flags, TEFF_COUNTS_FRAGMENT | TEFF_COUNTS_CHUNK);
    EXPECT_EQ(found[1].task, 7u);
    EXPECT_EQ(found[2].values, (Values{5, 5}));
    EXPECT_EQ(found[2].task, 8u);
}

TEST_F(StreamCountsTest, AFragmentWithoutCountsTellsOnlyHowLongItWasRead) {
    OpenStream stream = counting("page-faults=1:2");
    stream->fragment_begins(7, false);
    stream->fragment_ends();
    const auto found = counts();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].values.empty());
    EXPECT_GT(found[0].ticks, 0u);
}

TEST_F(StreamCountsTest, TheReadingsAreAPartOfTheFragment) {
    OpenStream stream = counting("page-faults=1:2,task-clock=1:1");
    const Ticks began = base::ticks();
    stream->fragment_begins(7, false);
    pages_.touch(100);
    stream->fragment_ends();
    const Ticks whole = base::ticks() - began;
    stream->end_thread();
    const auto found = counts();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].values[0], 100u);
    EXPECT_GT(found[0].ticks, 0u);
    EXPECT_LT(found[0].all_ticks, whole);
    for (const ReadCounts& totals : counts(TEFF_COUNTS_THREAD))
        EXPECT_EQ(totals.all_ticks, 0u);
}

TEST_F(StreamCountsTest, TheRecordersWorkIsNotCounted) {
    OpenStream stream = counting("page-faults=1:2");
    stream->fragment_begins(7, false);
    pages_.touch(2);
    // Fills chunks, for which the recorder makes files and maps memory.
    for (std::size_t i = 0; i < 3 * kSmallPerChunk; ++i)
        stream->wait(base::ticks(), base::ticks(), TEFF_WAIT_TASKWAIT, i * 3, 1, 0);
    pages_.touch(2);
    stream->fragment_ends();
    const auto found = counts();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_GE(found[0].values[0], 4u);
    // The buffers are touched page by page by the records themselves, which is not interrupted.
    EXPECT_LE(found[0].values[0], 4u + 2 * TEFF_TRACE_CHUNK_BYTES / kFreshPage);
}

TEST_F(StreamCountsTest, TheThreadHasTotals) {
    OpenStream stream = counting("page-faults=1:2");
    stream->fragment_begins(7, false);
    pages_.touch(20);
    stream->end_thread();
    const auto totals = counts(TEFF_COUNTS_THREAD);
    ASSERT_FALSE(totals.empty());
    EXPECT_GE(totals.back().values[0], 20u);
    ASSERT_EQ(counts().size(), 1u) << "the end of the thread ends the fragment";
    EXPECT_EQ(counts()[0].values[0], 20u);
}

TEST_F(StreamCountsTest, TheStreamsNextThreadHasCountersOfItsOwn) {
    OpenStream stream = counting("page-faults=1:2");
    stream->fragment_begins(kFirst, false);
    stream->end_thread();
    stream->begin_thread();
    stream->fragment_begins(8, false);
    pages_.touch(2);
    stream->fragment_ends();
    const auto counters = read().of_type(TEFF_REC_COUNTER);
    ASSERT_FALSE(counters.empty());
    EXPECT_EQ(counters.back().as<teff_rec_counter>().counter, 2u);
    const auto found = counts();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].values[0], 2u);
}

TEST_F(StreamCountsTest, ARefusedEventIsSaidOnce) {
    const std::string said = said_by([&] {
        OpenStream stream = counting("dreams=1:99,page-faults=1:2,none=4000000000:0");
        stream->end_thread();
        stream->begin_thread();
        stream->fragment_begins(8, false);
        pages_.touch(2);
        stream->fragment_ends();
        ASSERT_EQ(counts().size(), 1u);
        EXPECT_EQ(counts()[0].values, std::vector<std::uint64_t>{2}) << "the other event is counted";
    });
    EXPECT_NE(said.find("dreams is not counted"), std::string::npos) << said;
    EXPECT_EQ(said.find("dreams is not counted"), said.rfind("dreams is not counted"));
    EXPECT_NE(said.find("none is not counted"), std::string::npos) << said;
}

} // namespace
} // namespace teff::probe::trace
