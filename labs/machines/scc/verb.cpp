// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/verb.h"

#include <cstring>
#include <functional>
#include <initializer_list>

#include "machines/arguments.h"
#include "machines/scc/claims.h"
#include "machines/scc/recorded.h"

namespace teff::machine::scc {

namespace {

struct Options {
    std::string file = TEFF_CHIP;
    unsigned seeds = 3;
    bool fixed = false;
    const char* out = nullptr;
    const char* record = nullptr;
    const char* clocks = nullptr;
};

Options read_options(int count, char** arguments) {
    Options options;
    for (int i = 0; i < count; ++i) {
        const char* const argument = arguments[i];
        const auto value = [&](const char* refusal) {
            if (i + 1 == count) refuse(refusal, "");
            return arguments[++i];
        };
        if (std::strcmp(argument, "--fixed") == 0) options.fixed = true;
        else if (std::strcmp(argument, "--seeds") == 0)
            options.seeds = number_of(value("--seeds takes a number from 1 to 1000, not"),
                                      "--seeds takes a number from 1 to 1000, not");
        else if (std::strcmp(argument, "--out") == 0) options.out = value("--out takes a folder that exists, not");
        else if (std::strcmp(argument, "--record") == 0)
            options.record = value("--record takes a new folder for a recording, not");
        else if (std::strcmp(argument, "--costs") == 0) options.file = value("--costs takes a file of costs, not");
        else if (std::strcmp(argument, "--clocks") == 0)
            options.clocks = value("--clocks takes three clocks in MHz as 533/800/800, not");
        else refuse("scc does not know", argument);
    }
    return options;
}

Costs load(const Options& options) {
    ParsedCosts parsed = read_costs(options.file);
    if (!parsed.costs) {
        std::fprintf(stderr, "machines: %s\n", parsed.error.c_str());
        std::exit(2);
    }
    Costs costs = *std::move(parsed.costs);
    if (options.clocks == nullptr) return costs;
    unsigned* const clocks[] = {&costs.tile_mhz, &costs.mesh_mhz, &costs.dram_mhz};
    const char* rest = options.clocks;
    for (unsigned i = 0; i < 3; ++i) {
        char* end = nullptr;
        const unsigned long value = std::strtoul(rest, &end, 10);
        if (end == rest || value == 0 || value > 10'000 || *end != (i < 2 ? '/' : '\0'))
            refuse("--clocks takes three clocks in MHz as 533/800/800, not", options.clocks);
        *clocks[i] = static_cast<unsigned>(value);
        rest = end + 1;
    }
    return costs;
}

std::vector<unsigned> core_counts(const Costs& costs) {
    std::vector<unsigned> counts = {2};
    for (unsigned count = 4; count <= costs.cores(); count += 4)
        counts.push_back(count);
    return counts;
}

// For one and two cores, figure 3 shows the opposite of its result for many cores.
std::vector<unsigned> counts_of_alignment(const Costs& costs) {
    std::vector<unsigned> counts = core_counts(costs);
    counts.insert(counts.begin(), 1);
    return counts;
}

using Figure = std::function<double(const BarrierTimes&)>;

void print_table(Experiment& experiment, const char* title, const Figure& figure) {
    std::printf("\n%s\n%-22s", title, "cores");
    for (const unsigned cores : core_counts(experiment.costs()))
        std::printf("%8u", cores);
    for (const Barrier barrier : kBarriers) {
        std::printf("\n%-22s", std::string(name_of(barrier)).c_str());
        for (const unsigned cores : core_counts(experiment.costs()))
            std::printf("%8.2f", figure(experiment.barrier(barrier, cores)));
    }
    std::printf("\n");
}

void print_alignment(const Costs& costs) {
    std::printf("\nFigure 3: reading and writing a line of the first core's buffer 200 times, us\n%-22s", "cores");
    for (const unsigned cores : counts_of_alignment(costs))
        std::printf("%8u", cores);
    for (const bool cached : {true, false})
        for (const bool split : {false, true}) {
            std::printf("\n%-22s", (std::string(split ? "split loops" : "one loop") + (cached ? "" : ", UC")).c_str());
            for (const unsigned cores : counts_of_alignment(costs))
                std::printf("%8.1f", measure_alignment(costs, cores, split, cached));
        }
    std::printf("\n");
}

// Prints the results for several values of the one cost that decides how far S-MSB is above the
// other barriers, and that nobody has measured.
void print_services(const Costs& costs, unsigned seeds) {
    constexpr unsigned kServices[] = {4, 8, 20, 40, 50};
    std::printf("\nMO at %u cores by mpb_service_cycles, us\n%-22s", costs.cores(), "cycles");
    for (const unsigned service : kServices)
        std::printf("%8u", service);
    for (const Barrier barrier : kBarriers) {
        std::printf("\n%-22s", std::string(name_of(barrier)).c_str());
        for (const unsigned service : kServices) {
            Costs varied = costs;
            varied.mpb_service = {.own = std::min(service * kCycle, costs.mpb_service.own), .remote = service * kCycle};
            std::printf("%8.1f", measure_median(varied, barrier, costs.cores(), seeds).master);
        }
    }
    std::printf("\n");
}

void print_claims(const std::vector<Claim>& claims, const std::vector<Dependence>& dependences) {
    std::printf("\nThe paper's claims: its figure; the modelled chip's; what was to be expected\n");
    unsigned held = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const Claim& claim = claims[i];
        held += claim.holds;
        std::printf("\n%s  %s: %s\n      %s; %s; %s\n", claim.id.c_str(), claim.statement.c_str(),
                    claim.holds ? "holds" : "does not hold", claim.paper.c_str(), claim.ours.c_str(),
                    claim.verdict.c_str());
        if (dependences.empty()) continue;
        std::printf("      the same in %zu of %u variations", dependences[i].variations - dependences[i].flips.size(),
                    dependences[i].variations);
        for (std::size_t j = 0; j < dependences[i].flips.size(); ++j)
            std::printf("%s%s", j == 0 ? "; not with: " : ", ", dependences[i].flips[j].c_str());
        std::printf("\n");
    }
    std::printf("\nWhere the paper contradicts itself:\n");
    for (const char* const each : kContradictions)
        std::printf("  - %s\n", each);
    std::printf("\n%u of %zu claims hold\n", held, claims.size());
}

// Writes the file for plot.py, with the columns plot, series, cores and value.
bool write_series(Experiment& experiment, const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    std::fprintf(file, "plot\tseries\tcores\tmicroseconds\n");
    const Costs& costs = experiment.costs();
    for (const unsigned cores : core_counts(costs)) {
        for (const Barrier barrier : kBarriers) {
            const BarrierTimes& times = experiment.barrier(barrier, cores);
            const std::string name(name_of(barrier));
            std::fprintf(file, "mo\t%s\t%u\t%.4f\n", name.c_str(), cores, times.master);
            std::fprintf(file, "aso\t%s\t%u\t%.4f\n", name.c_str(), cores, times.slaves);
        }
    }
    for (const unsigned cores : counts_of_alignment(costs))
        for (const bool cached : {true, false})
            for (const bool split : {false, true})
                std::fprintf(file, "alignment\t%s%s\t%u\t%.4f\n", split ? "split loops" : "one loop",
                             cached ? "" : ", UC", cores, measure_alignment(costs, cores, split, cached));
    const bool written = std::ferror(file) == 0;
    return std::fclose(file) == 0 && written;
}

} // namespace

int run_verb(int count, char** arguments) {
    const Options options = read_options(count, arguments);
    const Costs costs = load(options);
    if (options.record != nullptr) {
        const std::string trouble = record_regions(costs, 1, options.record);
        if (trouble.empty()) return 0;
        std::fprintf(stderr, "machines: %s\n", trouble.c_str());
        return 2;
    }
    Experiment experiment(costs, options.seeds);
    std::printf("%s: %u cores at %u MHz, mesh %u, memory %u; medians over %u seeds\n", costs.name.c_str(),
                costs.cores(), costs.tile_mhz, costs.mesh_mhz, costs.dram_mhz, options.seeds);
    print_table(experiment, "Figure 6 (a): the master's overhead (MO), us",
                [](const BarrierTimes& times) { return times.master; });
    print_table(experiment, "Figure 6 (b): the others' on average (ASO), us",
                [](const BarrierTimes& times) { return times.slaves; });
    print_table(experiment, "Accesses past caches in a round, thousands",
                [](const BarrierTimes& times) { return times.accesses / 1000; });
    print_table(experiment, "Flits over links in a round, thousands",
                [](const BarrierTimes& times) { return times.flits / 1000; });
    print_alignment(costs);
    if (!options.fixed) print_services(costs, options.seeds);
    if (options.out != nullptr) {
        const std::string path = std::string(options.out) + "/scc.tsv";
        if (!write_series(experiment, path)) refuse("cannot write; --out takes a folder that exists:", path.c_str());
    }
    // The claims are for 48 cores.
    if (costs.cores() < 48) {
        std::printf("\nthe paper's claims are of 48 cores; this chip has %u\n", costs.cores());
        return 0;
    }
    const std::vector<Claim> claims = judge(experiment);
    print_claims(claims, options.fixed ? std::vector<Dependence>() : vary(costs, options.seeds, claims));
    return 0;
}

} // namespace teff::machine::scc
