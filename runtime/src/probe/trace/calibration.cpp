// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/calibration.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::uint64_t kRecords = 8; // of a round
constexpr std::size_t kRounds = 16;
constexpr std::size_t kStoreBytes = 4096; // more than a round's

struct Scratch {
    alignas(Stream) char stream[sizeof(Stream)];
    char store[kStoreBytes];
};

// Places, to be looked up as those of a program are.
const void* place(std::uint64_t i) { return reinterpret_cast<const void*>(16 * (i + 1)); }

// One record of each type, with the clock's readings that its event makes. They are calls, as those
// are. Where it stands for an interval, it returns what the interval came to.
using Record = Ticks (*)(Stream& stream, std::uint64_t i);

[[gnu::noinline]] Ticks read_clock() { return base::ticks(); }

// What stands between the clock's readings: about a hundred ticks that a processor does one after
// the other. Of nothing at all the readings would have a length that they have not of work, which
// they overlap with.
[[gnu::noinline]] void work() {
    std::uint64_t value = 3;
    for (int i = 0; i < 32; ++i) {
        value *= value;
        asm volatile("" : "+r"(value)); // the compiler makes each of these products
    }
}

[[gnu::noinline]] Ticks no_record(Stream&, std::uint64_t) { return 0; }

[[gnu::noinline]] Ticks only_work(Stream&, std::uint64_t) { return work(), 0; }

[[gnu::noinline]] Ticks record_create(Stream& stream, std::uint64_t i) {
    const Ticks met = read_clock();
    stream.creation_begins(met, 0, i, 1, stream.site(place(0), place(1)));
    const Ticks end = read_clock();
    stream.creation_ends(end);
    return end - met;
}

[[gnu::noinline]] Ticks record_run(Stream& stream, std::uint64_t i) {
    const Ticks began = read_clock();
    work();
    const Ticks end = read_clock();
    stream.run(began, end, 0, i, 1);
    return end - began;
}

[[gnu::noinline]] Ticks record_wait(Stream& stream, std::uint64_t i) {
    const Ticks began = read_clock();
    work();
    const Ticks end = read_clock();
    stream.wait(began, end, TEFF_WAIT_TASKWAIT, i, stream.site(place(2), nullptr), 0);
    return end - began;
}

[[gnu::noinline]] Ticks record_chunk(Stream& stream, std::uint64_t i) {
    const Ticks began = read_clock();
    work();
    const Ticks end = read_clock();
    stream.chunk(began, end, 1, 1, static_cast<std::int64_t>(i), 1);
    return end - began;
}

[[gnu::noinline]] Ticks record_loop_thread(Stream& stream, std::uint64_t i) {
    const Ticks began = read_clock();
    work();
    const Ticks end = read_clock();
    stream.loop_thread(began, end, i, 1);
    return end - began;
}

[[gnu::noinline]] Ticks record_idle(Stream& stream, std::uint64_t) {
    const Ticks began = read_clock();
    work();
    const Ticks end = read_clock();
    stream.idle(began, end, 0);
    return end - began;
}

// Its instant is that of its successor's creation.
[[gnu::noinline]] Ticks record_dependence(Stream& stream, std::uint64_t i) {
    stream.dependence(1, 0, i, 1, i);
    return 0;
}

[[gnu::noinline]] Ticks record_priority(Stream& stream, std::uint64_t i) {
    stream.priority(1, i, 1);
    return 0;
}

[[gnu::noinline]] Ticks record_group_begin(Stream& stream, std::uint64_t i) {
    stream.group_begin(read_clock(), i);
    return 0;
}

// These two tell how long the construct took, but a reader takes that as it is.
[[gnu::noinline]] Ticks record_fulfil(Stream& stream, std::uint64_t i) {
    const Ticks when = read_clock();
    work();
    stream.fulfil(when, read_clock(), 0, i);
    return 0;
}

[[gnu::noinline]] Ticks record_doacross(Stream& stream, std::uint64_t i) {
    const Ticks when = read_clock();
    work();
    stream.doacross(when, TEFF_DOACROSS_SOURCE, 1, 1, i, 0, read_clock() - when);
    return 0;
}

[[gnu::noinline]] Ticks record_region_end(Stream& stream, std::uint64_t i) {
    stream.region_end(read_clock(), i);
    return 0;
}

[[gnu::noinline]] Ticks record_loop(Stream& stream, std::uint64_t i) {
    const Ticks now = read_clock();
    stream.loop(now, 0, i, 1, stream.site(place(2), nullptr), 1, 0, 1, 1, 1);
    return 0;
}

// The cost of recording the start of the hold falls within the hold.
[[gnu::noinline]] Ticks record_lock(Stream& stream, std::uint64_t i) {
    const Ticks had = read_clock();
    (void)stream.lock_holds().begin(place(3), {.had = had, .waited = 1, .task = i, .call_site = place(2)});
    work();
    LockHold hold{};
    (void)stream.lock_holds().end(place(3), hold);
    const Ticks end = read_clock();
    if (!stream.is_negligible(hold, end)) stream.lock(TEFF_LOCK_LOCK, 1, hold, end, stream.site(place(2), nullptr));
    return end - had;
}

constexpr struct {
    const char* name;
    Record record;
    bool works;
} kTypes[] = {
    {"create", record_create, false},     {"run", record_run, true},
    {"wait", record_wait, true},          {"chunk", record_chunk, true},
    {"idle", record_idle, true},          {"loop_thread", record_loop_thread, true},
    {"dep", record_dependence, false},    {"loop", record_loop, false},
    {"priority", record_priority, false}, {"group_begin", record_group_begin, false},
    {"fulfil", record_fulfil, true},      {"region_end", record_region_end, false},
    {"lock", record_lock, true},          {"doacross", record_doacross, true},
};

struct Sample {
    Ticks whole, within;
};

Sample try_round(Scratch& scratch, Record record) {
    auto& stream = *std::launder(reinterpret_cast<Stream*>(scratch.stream));
    stream.store_into(scratch.store, sizeof scratch.store);
    Ticks within = 0;
    const Ticks began = base::ticks();
    for (std::uint64_t i = 0; i < kRecords; ++i)
        within += record(stream, i);
    return {.whole = base::ticks() - began, .within = within};
}

class Rounds {
  public:
    void try_one(Scratch& scratch, Record record) { samples_[count_++] = try_round(scratch, record); }
    // The low quarter: an interrupted round is no round, and the shortest may be luck.
    Sample low() {
        std::sort(samples_, samples_ + count_, [](const Sample& a, const Sample& b) { return a.whole < b.whole; });
        return samples_[count_ / 4];
    }

  private:
    Sample samples_[kRounds];
    std::size_t count_ = 0;
};

Ticks of_one(Ticks round) { return (round + kRecords / 2) / kRecords; }
Ticks less(Ticks a, Ticks b) { return a > b ? a - b : 0; }

} // namespace

void RecordCosts::measure(const Guest& guest, Folder& folder) {
    static_assert(std::size(kTypes) <= kMost);
    void* const memory = guest.may_call() ? map_memory(sizeof(Scratch)) : nullptr;
    if (memory == nullptr) return;
    count_ = 0;
    auto& scratch = *::new (memory) Scratch;
    Stream::make_at(scratch.stream, folder);
    for (const auto& [name, record, works] : kTypes) {
        // In turns: what slows the processor for a while (its other thread, its frequency) then
        // slows all three alike, and their differences keep their meaning.
        Rounds without, working, recorded;
        for (std::size_t round = 0; round < kRounds; ++round) {
            without.try_one(scratch, no_record);
            working.try_one(scratch, only_work);
            recorded.try_one(scratch, record);
        }
        const Ticks nothing = without.low().whole, work = working.low().whole;
        const Sample sample = recorded.low();
        const Ticks within = less(sample.within, works ? work - std::min(nothing, work) : 0);
        const Ticks after = less(sample.whole, (works ? work : nothing) + within);
        costs_[count_++] = {.name = name, .after = of_one(after), .within = of_one(within)};
    }
    call(SYS_munmap, memory, sizeof(Scratch));
}

} // namespace teff::probe::trace
