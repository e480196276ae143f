// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/recorded.h"

#include <map>
#include <random>

#include "machine/recording.h"
#include "machines/scc/regions_on_chip.h"

namespace teff::machine::scc {

namespace {

constexpr Time kStretch = 2000 * kCycle; // over which traffic is summed up
constexpr Time kLongest = 100'000'000 * kCycle;

// The traffic of each link in each stretch of time.
class Traffic final : public Watcher {
  public:
    explicit Traffic(std::size_t links) : stretches_(links) {}
    void carry(unsigned link, Time at, unsigned flits) override { stretches_[link][at / kStretch] += flits; }

    // Link `i` is worker `first + i`. The length of an event is the time for which the link was
    // busy in the stretch.
    Time tell(Sink& sink, const Costs& costs, unsigned first) const {
        Time last = 0;
        for (std::size_t link = 0; link < stretches_.size(); ++link)
            for (const auto& [stretch, flits] : stretches_[link]) {
                const NamedValue value{"flits", flits};
                const Time begin = stretch * kStretch, busy = costs.of_mesh(costs.flit) * flits;
                const Time end = begin + std::min(busy, kStretch);
                sink.take({.worker = first + static_cast<unsigned>(link),
                           .begin = begin,
                           .end = end,
                           .label = "traffic",
                           .values = {&value, 1}});
                last = std::max(last, end);
            }
        return last;
    }

  private:
    std::vector<std::map<Time, std::uint64_t>> stretches_;
};

std::vector<std::string> names(const Chip& chip) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < chip.costs().cores(); ++i)
        all.push_back("core " + std::to_string(i));
    for (const Link& link : chip.topology().links())
        all.push_back("tile " + std::to_string(link.from) + " to " + std::to_string(link.to));
    return all;
}

} // namespace

std::string record_regions(const Costs& costs, std::uint64_t seed, const std::string& path) {
    const unsigned cores = costs.cores();
    Chip chip(costs);
    Traffic traffic(chip.topology().links().size());
    chip.watch(&traffic);
    std::vector<std::string> workers = names(chip);
    const auto count = static_cast<unsigned>(workers.size());
    Recording recording(path,
                        {.program = "regions",
                         .machine = costs.name,
                         .policy = "docks, C-LUTB",
                         .seed = seed,
                         .clock_mhz = costs.tile_mhz,
                         .workers = std::move(workers)},
                        count);

    std::mt19937_64 random(seed);
    std::vector<Time> since(cores); // the core's last stretch began
    Time end = 0;
    const auto stretch = [&](EventKind kind, const char* label) {
        Time& begin = since[chip.core()];
        recording.take({.worker = chip.core(), .kind = kind, .begin = begin, .end = chip.now(), .label = label});
        begin = chip.now();
        end = std::max(end, begin);
    };
    const auto compute = [&](Time least) {
        chip.pass(least * kCycle + random() % 8000 * kCycle);
        chip.relax();
        stretch(EventKind::task, "compute");
    };
    const auto steps = [&](ChipRegions::Thread& thread) {
        for (unsigned step = 0; step < 3; ++step) {
            compute(4000);
            thread.barrier();
            stretch(EventKind::barrier, "barrier");
        }
    };
    const auto critical = [&](ChipRegions::Thread&) {
        Critical<Atomics> section{TestAndSet(0)};
        compute(1000);
        section.enter();
        stretch(EventKind::lock, "critical");
        chip.pass(300 * kCycle);
        section.leave();
        stretch(EventKind::task, "in critical");
    };
    const auto enter = [&](unsigned, State state) {
        if (state == State::executing || state == State::termination)
            stretch(EventKind::barrier, kStateNames[static_cast<unsigned>(State::join_waiting)]);
    };
    ChipRegions regions(chip, cores, {steps, critical}, enter);
    if (!regions.placed()) return path + ": the regions' words have no room on the chip; model one with fewer cores";
    const bool complete = chip.run(regions.parts([&](ChipRegions::Kind& kind) {
        for (const unsigned team : {cores, (cores + 1) / 2}) {
            kind.parallel(0, 0, team);
            kind.parallel(1, 0, team);
        }
    }),
                                   kLongest);
    if (!complete) return path + ": the run does not come to its end";
    end = std::max(end, traffic.tell(recording, costs, cores));
    return recording.finish(end);
}

} // namespace teff::machine::scc
