// SPDX-License-Identifier: Apache-2.0
// A signal handler runs while a record is appended, and appends a record, too. The tests run the
// handler once after each instruction of the interrupted append.
#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/arch/arch.h"
#include "probe/trace/guest.h"
#include "probe/trace/stream.h"
#include "probe/trace/trace_reading.h"

namespace teff::probe::trace {
namespace {

constexpr std::uint64_t kTrapFlag = 0x100;
constexpr std::uint64_t kOfHandler = 1'000, kOfHandlerNext = 1'001;
constexpr std::size_t kStartsOfChunk = (TEFF_TRACE_CHUNK_BYTES - sizeof(teff_chunk_header)) / sizeof(teff_rec_start);

struct Stepping {
    long left;              // instructions until the handler appends
    bool is_over;           // it has, or the next instruction may not be stepped over
    volatile bool has_come; // behind the compiler's back
    std::function<void()> act;
};
Stepping stepping;

// A system call is not stepped over: the recorder's may block signals, and a trap that is blocked
// ends the process. prctl does not.
bool is_at_system_call(const ucontext_t& context) {
    unsigned char code[2];
    __builtin_memcpy(code, reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]), sizeof code);
    return code[0] == 0x0f && code[1] == 0x05 && context.uc_mcontext.gregs[REG_RAX] != SYS_prctl;
}

void on_trap(int, siginfo_t*, void* argument) {
    auto& context = *static_cast<ucontext_t*>(argument);
    if (stepping.left-- == 0) {
        stepping.has_come = true;
        stepping.act();
        stepping.is_over = true;
    }
    if (is_at_system_call(context)) stepping.is_over = true;
    if (stepping.is_over) context.uc_mcontext.gregs[REG_EFL] &= ~static_cast<greg_t>(kTrapFlag);
}

// Runs `body`, and `handler` in a signal's handler behind the instruction with this number. False:
// the body has fewer instructions.
template <class Body> bool interrupt_at(long instruction, std::function<void()> handler, Body&& body) {
    stepping.left = instruction;
    stepping.is_over = false;
    stepping.has_come = false;
    stepping.act = std::move(handler);
    __writeeflags(__readeflags() | kTrapFlag);
    body();
    __writeeflags(__readeflags() & ~kTrapFlag);
    asm volatile("" ::: "memory"); // a trap may come behind that, too
    return stepping.has_come;
}

class StreamSignalsTest : public testing::Test {
  protected:
    void SetUp() override {
        // Its handlers would come in the midst of the sanitizer's own calls.
        if constexpr (!base::arch::kCanLackThreadLocals) GTEST_SKIP() << "no single steps under a sanitizer";
    }

    StreamSignalsTest() {
        EXPECT_EQ(target_.note_path(folder_.path()), 0);
        EXPECT_EQ(target_.claim(), 0);
        note_surroundings();
        struct sigaction trap{};
        trap.sa_sigaction = on_trap;
        trap.sa_flags = SA_SIGINFO;
        sigaction(SIGTRAP, &trap, &before_);
        stream_ = Stream::make(memory_, target_, 3, {base::ticks(), base::monotonic_ns()});
    }
    ~StreamSignalsTest() override {
        Stream::unmake(stream_);
        sigaction(SIGTRAP, &before_, nullptr);
    }

    void fill_until(std::size_t starts_left) {
        stream_->start(0, 0, 0);
        const auto at_begin = read().records;
        std::size_t taken = 0;
        for (const ReadRecord& record : at_begin)
            taken += record.bytes.size() / sizeof(teff_rec_start);
        constexpr std::size_t kOfPreparing = 1; // a RECORDER
        for (std::size_t i = taken + kOfPreparing + starts_left; i < kStartsOfChunk; ++i)
            stream_->start(0, 0, 0);
    }

    ReadStream read() {
        stream_->settle();
        return read_stream(folder_.file("stream-0003.bin"));
    }

    // What was appended by START with these tasks, and lost: all that was.
    void expect_all(std::uint64_t appended, std::size_t of_handler, std::size_t of_body) {
        const ReadStream all = read();
        ASSERT_EQ(all.error, "");
        std::size_t starts = 0, handlers = 0, bodies = 0;
        for (const ReadRecord& record : all.of_type(TEFF_REC_START)) {
            const std::uint64_t task = record.as<teff_rec_start>().task;
            EXPECT_EQ(record.as<teff_rec_start>().region, task * 2) << "a torn record";
            ++starts;
            handlers += task == kOfHandler || task == kOfHandlerNext;
            bodies += task == 1;
        }
        EXPECT_EQ(starts + stream_->lost_records(), appended) << starts << " stored, " << handlers << " of handlers";
        EXPECT_LE(handlers, of_handler);
        EXPECT_EQ(bodies, of_body);
    }

    ScratchFolder folder_;
    Folder target_{0};
    StreamMemory memory_;
    Stream* stream_;
    struct sigaction before_{};
};

// Two records, so that a chunk that ends with the next record is a chunk too short for it.
void append_in_handler(Stream& stream) {
    stream.start(0, kOfHandler, kOfHandler * 2);
    stream.start(0, kOfHandlerNext, kOfHandlerNext * 2);
}

TEST_F(StreamSignalsTest, RecordsStayWholeWhereverAHandlerAppends) {
    stream_->start(0, 0, 0);
    long at = 0;
    while (interrupt_at(at, [this] { append_in_handler(*stream_); }, [this] { stream_->start(0, 1, 2); }))
        ++at;
    ASSERT_GT(at, 10);
    const auto steps = static_cast<std::size_t>(at);
    expect_all(1 + 3 * steps + 1, 2 * steps, steps + 1);
}

TEST_F(StreamSignalsTest, AChildMayBeForkedWhileAWindowEnds) {
    stream_->follow_switches();
    stream_->begin_thread();
    for (long at = 0;; ++at) {
        pid_t child = -1;
        const auto end_window = [this, &child] {
            stream_->end_window(1, base::ticks());
            if (child == 0) _exit(0);
        };
        if (!interrupt_at(at, [&child] { child = fork(); }, end_window)) break;
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0) << "after " << at << " instructions";
    }
}

class StreamSignalsAtEndTest : public StreamSignalsTest, public testing::WithParamInterface<std::size_t> {};

// One of them changes the chunk.
TEST_P(StreamSignalsAtEndTest, RecordsStayWholeWhereTheChunkEnds) {
    for (long at = 0;; ++at) {
        Stream::unmake(stream_);
        std::filesystem::remove(folder_.file("stream-0003.bin"));
        stream_ = Stream::make(memory_, target_, 3, {base::ticks(), base::monotonic_ns()});
        fill_until(GetParam());
        const std::size_t before = read().of_type(TEFF_REC_START).size();
        const auto body = [this] { stream_->start(0, 1, 2); };
        if (!interrupt_at(at, [this] { append_in_handler(*stream_); }, body)) {
            ASSERT_GT(at, 5);
            return;
        }
        expect_all(before + 3, 2, 1);
        if (HasFailure()) FAIL() << "after instruction " << at;
    }
}
INSTANTIATE_TEST_SUITE_P(StartsLeft, StreamSignalsAtEndTest, testing::Values(0, 1, 2, 3));

TEST_F(StreamSignalsTest, ACreationIsTimedWhereverAHandlerAppends) {
    stream_->start(0, 0, 0);
    constexpr Ticks kBegan = 100, kEnded = 142;
    const auto body = [this] {
        stream_->creation_begins(kBegan, 0, 7, 0, 0);
        stream_->creation_ends(kEnded);
    };
    long at = 0;
    while (interrupt_at(at, [this] { append_in_handler(*stream_); }, body))
        ++at;
    ASSERT_GT(at, 20);
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto creations = all.of_type(TEFF_REC_CREATE);
    EXPECT_EQ(creations.size(), static_cast<std::size_t>(at) + 1);
    for (const ReadRecord& creation : creations)
        EXPECT_EQ(creation.as<teff_rec_create>().cost_ticks, kEnded - kBegan);
}

// Its record stands for the RUN only if no handler has appended a record in between.
TEST_F(StreamSignalsTest, ATaskRunAtOnceIsWholeWhereverAHandlerAppends) {
    stream_->start(0, 0, 0);
    const Ticks began = base::ticks();
    std::uint64_t task = 0;
    std::size_t whole = 0;
    const auto body = [&] {
        const char* const record = stream_->task_begins_at_once(began, 0, ++task, 1, 0, 0);
        stream_->creation_ends(began + 42);
        const bool is_whole = stream_->task_ends_at_once(record, began + 42, began + 100);
        if (!is_whole) stream_->run(began + 42, began + 100, 0, task, 0);
        whole += is_whole;
    };
    long at = 0;
    while (interrupt_at(at, [this] { append_in_handler(*stream_); }, body))
        ++at;
    ASSERT_GT(at, 40);
    EXPECT_GT(whole, 10u);
    const ReadStream all = read();
    ASSERT_EQ(all.error, "");
    const auto created = all.of_type(TEFF_REC_CREATE), ran = all.of_type(TEFF_REC_RUN);
    ASSERT_EQ(created.size(), task);
    ASSERT_EQ(ran.size(), task);
    for (std::size_t i = 0; i < ran.size(); ++i) {
        EXPECT_EQ(created[i].as<teff_rec_create>().task, i + 1);
        EXPECT_EQ(created[i].as<teff_rec_create>().cost_ticks, 42u);
        EXPECT_EQ(ran[i].as<teff_rec_run>().task, i + 1);
        EXPECT_EQ(ran[i].as<teff_rec_run>().ticks_and_cpu << 16 >> 16, 58u);
    }
    EXPECT_EQ(all.of_type(TEFF_REC_WAIT).size(), whole);
}

} // namespace
} // namespace teff::probe::trace
