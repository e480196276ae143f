// SPDX-License-Identifier: Apache-2.0
#include "machines/relations.h"

#include <algorithm>
#include <utility>

#include "machines/timelines.h"

namespace teff::machine {

namespace {

using enum Schedule;
using enum Spreading;

constexpr Trial kWsInterleave{work_stealing, interleave}, kWsFine{work_stealing, fine},
    kWsCoarse{work_stealing, coarse};
constexpr Trial kLaFine{thesis_hops, fine}, kLaCoarse{thesis_hops, coarse}, kAsWrittenFine{thesis_nodes, fine};

constexpr Trial kOurFine{locality, fine}, kOurCoarse{locality, coarse};

constexpr Trial tiles_of(unsigned vicinity) { return {thesis_tiles, coarse, vicinity}; }
constexpr unsigned kAll = 63;

// Bounds of a ratio. If a claim says "alike" or "not worse", the values may differ by a twentieth.
constexpr double kAlike = 0.05, kNoLoss = 0.02, kAny = 1e9;

void scale_time(Time& time, double factor) { time = static_cast<Time>(static_cast<double>(time) * factor); }
void scale_latency(Latency& latency, double factor) {
    for (Time* const part : {&latency.own, &latency.sibling, &latency.remote, &latency.hop})
        scale_time(*part, factor);
}

} // namespace

bool Relation::holds() const {
    return std::all_of(clauses.begin(), clauses.end(), [](const Clause& clause) { return clause.holds; });
}

const std::vector<Cost>& costs() {
    static const std::vector<Cost> all = {
        {"latency of memory", [](Description& d, double f) { scale_latency(d.memory, f); }},
        {"controllers and homes", [](Description& d, double f) { scale_time(d.controller_per_line, f); }},
        {"links",
         [](Description& d, double f) {
             scale_time(d.mesh_per_line, f);
             for (Link& link : d.links)
                 scale_time(link.per_line, f);
         }},
        {"hits in the cache", [](Description& d, double f) { scale_time(d.cache_per_line, f); }},
        {"arithmetic", [](Description& d, double f) { scale_time(d.operation, f); }},
        {"creation of a task", [](Description& d, double f) { scale_time(d.creation, f); }},
        {"lines of the runtime",
         [](Description& d, double f) {
             scale_latency(d.load, f);
             scale_latency(d.atomic, f);
             scale_time(d.cached, f);
             scale_time(d.cached_atomic, f);
         }},
        {"sleep and wake",
         [](Description& d, double f) {
             scale_time(d.sleep, f);
             scale_time(d.wake, f);
             scale_time(d.spin, f);
         }},
    };
    return all;
}

Experiments::Experiments(Description opteron, Description tiles, unsigned seeds, bool quick)
    : opteron_(std::move(opteron)), tiles_(std::move(tiles)), seeds_(seeds), quick_(quick) {
    constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
    add(false, map(48, kMiB, sizeof(double)));
    add(false, reduction((quick ? 16 : 256) * kMiB, quick ? 8 : 10, sizeof(double)));
    add(true, map(63, 32 * kKiB, sizeof(int)));
    add(true, vecmul(128, 28 * kKiB, sizeof(int)));
    add(true, reduction(700 * kKiB, 6, sizeof(int)));
    if (quick) return;
    add(false, matmul(4096, 128));
    add(false, jacobi(16384, 512, 2));
    add(false, sparselu(32, 256, sizeof(double)));
    add(true, sparselu(32, 36, sizeof(int)));
}

void Experiments::add(bool on_tiles, Program program) {
    std::string name = (on_tiles ? "tiles " : "") + program.name;
    inputs_.emplace(std::move(name), Input{on_tiles, std::move(program)});
}

Experiments Experiments::scaled(const Cost& cost, double factor) const {
    Experiments other = *this; // the data stay where they are
    cost.scale(other.opteron_, factor);
    cost.scale(other.tiles_, factor);
    other.times_.clear();
    return other;
}

Time Experiments::time(const std::string& program, const Trial& trial) {
    const std::string key = program + " " + label(trial);
    if (const auto known = times_.find(key); known != times_.end()) return known->second;
    Input& input = inputs_.at(program);
    const Description& machine = input.on_tiles ? tiles_ : opteron_;
    auto placed = input.placed.find(trial.spreading);
    if (placed == input.placed.end())
        placed = input.placed.emplace(trial.spreading, place(input.program, machine, trial.spreading)).first;
    std::vector<Time> times;
    for (unsigned i = 0; i < seeds_; ++i) {
        Trial seeded = trial;
        seeded.seed = i + 1;
        times.push_back(run(input.program, placed->second, machine, seeded).makespan);
    }
    std::sort(times.begin(), times.end());
    return times_[key] = times[times.size() / 2];
}

Clause Experiments::compare(const std::string& program, const Trial& first, const Trial& second, double least,
                            double most) {
    Clause clause{.text = program + ": " + label(first) + " / " + label(second)};
    clause.ratio = static_cast<double>(time(program, first)) / static_cast<double>(time(program, second));
    clause.holds = clause.ratio >= least && clause.ratio <= most;
    return clause;
}

std::vector<Relation> Experiments::judge() {
    std::vector<Relation> all = on_opteron();
    for (Relation& relation : on_tiles())
        all.push_back(std::move(relation));
    return all;
}

std::vector<Relation> Experiments::on_opteron() {
    struct Advice {
        const char* program;
        Trial ws, la, ours;
    };
    std::vector<Advice> advice = {{"map", kWsCoarse, kLaCoarse, kOurCoarse}, {"reduction", kWsFine, kLaFine, kOurFine}};
    if (!quick_) {
        advice.push_back({"matmul", kWsCoarse, kLaCoarse, kOurCoarse});
        advice.push_back({"jacobi", kWsFine, kLaFine, kOurFine});
        advice.push_back({"sparselu", kWsCoarse, kLaCoarse, kOurCoarse});
    }
    Relation o1{"O1", "fine is as good as numactl's interleaving", "comparable", {}};
    Relation o2{"O2", "with the distribution that is advised, LA is not worse", "improves or maintains", {}};
    Relation s2{"S2", "as advised, TEFF_SCHEDULE=locality does not lose to work stealing", "", {}};
    for (const Advice& each : advice) {
        s2.clauses.push_back(compare(each.program, each.ours, each.ws, 0, 1 + kNoLoss));
        o1.clauses.push_back(compare(each.program, kWsFine, kWsInterleave, 1 - kAlike, 1 + kAlike));
        o2.clauses.push_back(compare(each.program, each.la, each.ws, 0, 1 + kAlike));
    }
    Relation o3{"O3", "map: LA+coarse is the best", "0.5 of WS at best", {}};
    for (const Trial& other : {kWsInterleave, kWsFine, kWsCoarse, kLaFine})
        o3.clauses.push_back(compare("map", kLaCoarse, other, 0, 1));
    Relation o4{"O4", "map: LA+fine is worse than WS+fine", "", {compare("map", kLaFine, kWsFine, 1, kAny)}};
    Relation o7{"O7", "against the advice it is worse, with both schedulers", "", {}};
    o7.clauses = {compare("reduction", kWsCoarse, kWsFine, 1, kAny), compare("reduction", kLaCoarse, kLaFine, 1, kAny)};
    if (quick_) return {o1, o2, o3, o4, o7, s2};
    o7.clauses.push_back(compare("jacobi", kWsCoarse, kWsFine, 1, kAny));
    o7.clauses.push_back(compare("jacobi", kLaCoarse, kLaFine, 1, kAny));
    Relation o5{"O5", "matmul: coarse is better, and LA then better still; with fine LA is as WS", "0.86", {}};
    o5.clauses = {compare("matmul", kWsCoarse, kWsFine, 0, 1),
                  compare("matmul", kLaFine, kWsFine, 1 - kAlike, 1 + kAlike),
                  compare("matmul", kLaCoarse, kWsCoarse, 0, 1)};
    Relation o6{
        "O6", "sparselu: coarse is as fine", "", {compare("sparselu", kWsCoarse, kWsFine, 1 - kAlike, 1 + kAlike)}};
    Relation s1{"S1", "the steps of algorithm 2 as the thesis writes them cost more than those of its code", "", {}};
    for (const char* const program : {"matmul", "reduction", "sparselu"})
        s1.clauses.push_back(compare(program, kAsWrittenFine, kLaFine, 1 + kAlike, kAny));
    return {o1, o2, o3, o4, o5, o6, o7, s1, s2};
}

std::vector<Relation> Experiments::on_tiles() {
    Relation p1{"P1", "map: LA+coarse, vicinity 1, is far below WS+fine; time grows with the vicinity", "0.12", {}};
    Relation p2{"P2", "vecmul: time falls with the vicinity, and LA is below WS+fine", "0.31", {}};
    Relation p4{"P4", "reduction: LA+coarse, vicinity 1, is serial; larger vicinities win back", "", {}};
    p1.clauses.push_back(compare("tiles map", tiles_of(1), kWsFine, 0, 0.7));
    constexpr unsigned kVicinities[] = {1, 4, 8, 16, kAll};
    for (std::size_t i = 1; i < std::size(kVicinities); ++i) {
        const Trial larger = tiles_of(kVicinities[i]), smaller = tiles_of(kVicinities[i - 1]);
        p1.clauses.push_back(compare("tiles map", larger, smaller, 1, kAny));
        p2.clauses.push_back(compare("tiles vecmul", larger, smaller, 0, 1));
    }
    p2.clauses.push_back(compare("tiles vecmul", tiles_of(16), kWsFine, 0, 1));
    p4.clauses.push_back(compare("tiles reduction", tiles_of(1), kWsFine, 1, kAny));
    p4.clauses.push_back(compare("tiles reduction", tiles_of(kAll), tiles_of(1), 0, 1));
    if (quick_) return {p1, p2, p4};
    Relation p3{"P3",
                "sparselu: WS+coarse is worse than WS+fine",
                "",
                {compare("tiles sparselu", kWsCoarse, kWsFine, 1, kAny)}};
    return {p1, p2, p3, p4};
}

} // namespace teff::machine
