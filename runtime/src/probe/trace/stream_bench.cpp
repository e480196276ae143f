// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdlib.h>
#include <string>
#include <unistd.h>

namespace teff::probe::trace {
namespace {

// A stream in a folder of its own, which goes with it. TMPDIR says on which file system.
class Scratch {
  public:
    Scratch() {
        const char* parent = getenv("TMPDIR");
        folder_ = std::string(parent != nullptr ? parent : "/tmp") + "/teff-bench-XXXXXX";
        if (mkdtemp(folder_.data()) == nullptr) std::perror("mkdtemp");
        if (folder_files_.note_path(folder_) != 0 || folder_files_.claim() != 0) std::abort();
        stream_ = Stream::make(memory_, folder_files_, 0, {base::ticks(), base::monotonic_ns()});
    }
    ~Scratch() {
        Stream::unmake(stream_);
        unlink((folder_ + "/stream-0000.bin").c_str());
        rmdir(folder_.c_str());
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    Stream& stream() { return *stream_; }

  private:
    std::string folder_;
    Folder folder_files_{0};
    StreamMemory memory_;
    Stream* stream_;
};

// Records in the first chunk only: the bare cost of a record, without the system calls of a new
// chunk.
void append_within_a_chunk(benchmark::State& state) {
    constexpr int kRecords = 30'000;
    for (auto _ : state) {
        state.PauseTiming();
        auto scratch = std::make_unique<Scratch>();
        Stream& stream = scratch->stream();
        stream.start(0, 0, 0);
        state.ResumeTiming();
        for (std::uint64_t i = 0; i < kRecords; ++i)
            stream.create(i, 0, i, i, 1, 1);
        state.PauseTiming();
        scratch.reset();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * kRecords);
}
BENCHMARK(append_within_a_chunk)->Iterations(50);

// Many chunks: what a long recording costs, with the extension of the file and its pages.
void append_over_many_chunks(benchmark::State& state) {
    Scratch scratch;
    std::uint64_t i = 0;
    for (auto _ : state) {
        scratch.stream().create(i, 0, i, i, 1, 1);
        ++i;
    }
    state.counters["lost"] = static_cast<double>(scratch.stream().lost_records());
}
BENCHMARK(append_over_many_chunks)->Iterations(4'000'000); // 128 MB

// As a task writes them: with the time-stamp counter and the processor's number.
void run_record_with_clock(benchmark::State& state) {
    Scratch scratch;
    for (auto _ : state) {
        const Ticks start = base::ticks();
        scratch.stream().run(start, base::ticks(), 0, 1, 1);
    }
    state.counters["lost"] = static_cast<double>(scratch.stream().lost_records());
}
BENCHMARK(run_record_with_clock)->Iterations(2'000'000);

void look_up_one_of_sites(benchmark::State& state) {
    SiteTable table;
    const auto sites = static_cast<std::uintptr_t>(state.range(0));
    const auto address = [](std::uintptr_t i) { return reinterpret_cast<const void*>(0x400000 + 52 * i); };
    for (std::uintptr_t i = 0; i < sites; ++i)
        table.add(address(i), address(i + 7), true);
    std::uintptr_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(table.find(address(i), address(i + 7)));
        if (++i == sites) i = 0;
    }
}
BENCHMARK(look_up_one_of_sites)->Arg(1)->Arg(16)->Arg(1'000);

} // namespace
} // namespace teff::probe::trace
