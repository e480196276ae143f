// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/barriers.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "barriers/double_flags.h"
#include "barriers/family.h"
#include "machines/scc/atomics.h"

namespace teff::machine::scc {

namespace {

using sync::barriers::Round;
using sync::barriers::Shape;
using sync::barriers::TwoPhase;

constexpr Round kIgnored = 2, kRounds = 6;
constexpr Time kLongest = 100'000'000 * kCycle; // of a run

using DoubleFlags = TwoPhase<sync::barriers::DoubleFlagsGather<Atomics>, sync::barriers::DoubleFlagsRelease<Atomics>>;

// Times of a member, in each of its rounds.
struct Own {
    Time in_barriers = 0;
};

// `core_of(line)` is the core in whose buffer or table the barrier's line lies.
template <class Kind, class CoreOf>
BarrierTimes run(const Costs& costs, unsigned cores, std::uint64_t seed, Place place, CoreOf core_of) {
    const Shape shape{cores, 8};
    const unsigned lines = Kind::lines(shape);
    const std::unique_ptr<typename Kind::Line[]> memory(new typename Kind::Line[lines]);
    Kind barrier(memory.get(), shape);
    Chip chip(costs);
    bool placed = true;
    for (unsigned i = 0; i < lines; ++i) {
        place.core = core_of(i);
        placed = chip.place(&memory[i], sizeof memory[i], place) && placed;
    }
    if (!placed) return {};

    std::mt19937_64 random(seed);
    std::vector<Own> own(cores);
    std::uint64_t accesses[2] = {}, flits[2] = {}; // when the master had been in the first rounds, and in all
    const auto note = [&](unsigned at) {
        accesses[at] = chip.accesses();
        flits[at] = chip.flits();
    };
    std::vector<std::function<void()>> parts;
    for (unsigned i = 0; i < cores; ++i) {
        const Time delay = random() % 1000 * kCycle;
        parts.push_back([&, i, delay] {
            chip.pass(delay);
            for (Round round = 1; round <= kIgnored + kRounds; ++round) {
                const Time begin = chip.now();
                if (i == 0) barrier.wait(round), barrier.release(round);
                else barrier.slave_enter(i, round);
                if (round > kIgnored) own[i].in_barriers += chip.now() - begin;
                if (i == 0 && round == kIgnored) note(0);
                chip.pass(costs.timer);
            }
            if (i == 0) note(1);
        });
    }
    const bool complete = chip.run(parts, kLongest);
    const auto mean = [&](Time sum) { return costs.microseconds(static_cast<double>(sum) / kRounds); };
    Time slaves = 0;
    for (unsigned i = 1; i < cores; ++i)
        slaves += own[i].in_barriers;
    return {.complete = complete,
            .master = mean(own[0].in_barriers),
            .slaves = cores == 1 ? 0 : mean(slaves) / (cores - 1),
            .accesses = static_cast<double>(accesses[1] - accesses[0]) / kRounds,
            .flits = static_cast<double>(flits[1] - flits[0]) / kRounds};
}

unsigned steps_of(unsigned cores) {
    unsigned steps = 0;
    while (1u << steps < cores)
        ++steps;
    return std::max(steps, 1u);
}

} // namespace

std::string_view name_of(Barrier barrier) {
    switch (barrier) {
    case Barrier::smsb:
        return "S-MSB";
    case Barrier::smsb_signal:
        return "S-MSB, one signal";
    case Barrier::cpb:
        return "CPB";
    case Barrier::clutb:
        return "C-LUTB";
    case Barrier::smsb_uc:
        return "S-MSB-UC";
    case Barrier::smsb_signal_uc:
        return "S-MSB-UC, one signal";
    case Barrier::cpb_uc:
        return "CPB-UC";
    case Barrier::dissemination:
        return "dissemination";
    case Barrier::central:
        return "central";
    }
    return {};
}

BarrierTimes measure(const Costs& costs, Barrier barrier, unsigned cores, std::uint64_t seed) {
    using namespace sync::barriers;
    const auto masters = [](unsigned) { return 0u; };
    const auto readers = [=](unsigned line) { return line % cores; };
    const auto steps = [=](unsigned line) { return line / steps_of(cores); };
    const Place cached{Store::mpb, 0, true}, uncached{Store::mpb, 0, false};
    switch (barrier) {
    case Barrier::smsb:
        return run<DoubleFlags>(costs, cores, seed, cached, masters);
    case Barrier::smsb_uc:
        return run<DoubleFlags>(costs, cores, seed, uncached, masters);
    case Barrier::smsb_signal:
        return run<SharedMasterSlave<Atomics>>(costs, cores, seed, cached, masters);
    case Barrier::smsb_signal_uc:
        return run<SharedMasterSlave<Atomics>>(costs, cores, seed, uncached, masters);
    case Barrier::cpb:
        return run<ChainPolarity<Atomics>>(costs, cores, seed, cached, readers);
    case Barrier::cpb_uc:
        return run<ChainPolarity<Atomics>>(costs, cores, seed, uncached, readers);
    case Barrier::clutb:
        return run<ChainLutPolarity<Atomics>>(costs, cores, seed, {Store::lut, 0, false}, readers);
    case Barrier::dissemination:
        return run<Disseminating<Atomics>>(costs, cores, seed, cached, steps);
    case Barrier::central:
        return run<Central<Atomics>>(costs, cores, seed, cached, masters);
    }
    return {};
}

BarrierTimes measure_median(const Costs& costs, Barrier barrier, unsigned cores, unsigned seeds) {
    std::vector<BarrierTimes> all;
    for (unsigned seed = 1; seed <= seeds; ++seed)
        all.push_back(measure(costs, barrier, cores, seed));
    const auto median = [&](double BarrierTimes::* figure) {
        std::vector<double> values;
        for (const BarrierTimes& each : all)
            values.push_back(each.*figure);
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    };
    return {.complete = std::all_of(all.begin(), all.end(), [](const BarrierTimes& each) { return each.complete; }),
            .master = median(&BarrierTimes::master),
            .slaves = median(&BarrierTimes::slaves),
            .accesses = median(&BarrierTimes::accesses),
            .flits = median(&BarrierTimes::flits)};
}

double measure_alignment(const Costs& costs, unsigned cores, bool split, bool cached) {
    constexpr unsigned kTurns = 200;
    const std::unique_ptr<sync::barriers::Line<Atomics>[]> lines(new sync::barriers::Line<Atomics>[cores]);
    Chip chip(costs);
    for (unsigned i = 0; i < cores; ++i)
        if (!chip.place(&lines[i], sizeof lines[i], {Store::mpb, 0, cached})) return 0;
    std::vector<Time> took(cores);
    std::vector<std::function<void()>> parts;
    for (unsigned i = 0; i < cores; ++i)
        parts.push_back([&, i] {
            auto& word = lines[i].words[0];
            for (unsigned turn = 0; turn < kTurns; ++turn) {
                static_cast<void>(word.load(std::memory_order_acquire));
                if (!split) word.store(turn, std::memory_order_relaxed);
                chip.pass(costs.loop);
            }
            for (unsigned turn = 0; split && turn < kTurns; ++turn) {
                word.store(turn, std::memory_order_relaxed);
                chip.pass(costs.loop);
            }
            chip.push_out();
            chip.await_write();
            took[i] = chip.now();
        });
    if (!chip.run(parts, kLongest)) return 0;
    const Time sum = std::accumulate(took.begin(), took.end(), Time{0});
    return costs.microseconds(static_cast<double>(sum) / cores);
}

} // namespace teff::machine::scc
