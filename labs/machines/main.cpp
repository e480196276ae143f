// SPDX-License-Identifier: Apache-2.0
//
// ./run machines: prints which of the thesis's results modelled machines reproduce.
// docs/machines.md explains the output.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/stat.h>

#include "machines/arguments.h"
#include "machines/barriers.h"
#include "machines/loops.h"
#include "machines/relations.h"
#include "machines/scc/verb.h"
#include "machines/timelines.h"

namespace {

using namespace teff::machine;

constexpr char kHelp[] =
    "usage: ./run machines [--quick] [--seeds N] [--fixed]\n"
    "       ./run machines barriers [--fan-in N]\n"
    "       ./run machines timelines [--out DIRECTORY] [WORD]\n"
    "       ./run machines scc [--seeds N] [--fixed] [--clocks TILE/MESH/DRAM] [--costs FILE] [--out DIR]\n"
    "       ./run machines loops\n"
    "\n"
    "  Runs the programs of Muddukrishna's thesis (2016, chapter 3) on modelled machines, in virtual time, under the\n"
    "  schedulers and distributions that it compares, and prints which of its results come out: O1 to O7 on an "
    "Opteron\n"
    "  of eight nodes, P1 to P4 on a TILEPro64. docs/machines.md explains the table.\n"
    "\n"
    "  --quick     small inputs, and fewer relations\n"
    "  --seeds N   each time is the median over N seeds (3)\n"
    "  --fixed     do not halve and double each cost of the model, which takes most of the time\n"
    "\n"
    "  barriers    what a barrier takes, and how many cache lines it moves, on the Opteron and on a server of two\n"
    "              sockets: those that TEFF_BARRIER offers, as the runtime has them, and each of the family alone\n"
    "  --fan-in N  members of a group, where there are groups (as the runtime makes them)\n"
    "\n"
    "  loops       what a loop takes by each schedule, over data that a static loop has touched first, on the same\n"
    "              machines, and how many of its iterations run on the node of their data\n"
    "\n"
    "  timelines   the thesis's figures 3.8, 3.10 and 3.11: a recording of each of their runs, and its page, with "
    "waits\n"
    "              for memory as colour; prints their addresses, on the same scales for each program of a figure\n"
    "  --out DIRECTORY  a new folder for them (build/timelines)\n"
    "  WORD        those alone whose names begin so, as 3.8 or 3.8-map\n"
    "\n"
    "  scc         what the barriers of Al-Khalissi et al. take on the Single-chip Cloud Computer, whose caches are "
    "not\n"
    "              coherent; which of the paper's claims come out, and which costs decide that\n"
    "  --clocks    of tiles, mesh and memory in MHz (533/800/800)\n"
    "  --costs     another file of costs (labs/machines/scc/scc.chip)\n"
    "  --out       a folder for figures 3, 6 (a) and 6 (b) as SVG, and their data\n"
    "  --record    instead: a new folder for a recording of parallel regions, with cores and links, for teff view\n";

struct Options {
    bool quick = false, fixed = false;
    unsigned seeds = 3;
};

Options read_options(int count, char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const char* const argument = arguments[i];
        if (std::strcmp(argument, "--help") == 0 || std::strcmp(argument, "-h") == 0) {
            std::fputs(kHelp, stdout);
            std::exit(0);
        } else if (std::strcmp(argument, "--quick") == 0) {
            options.quick = true;
        } else if (std::strcmp(argument, "--fixed") == 0) {
            options.fixed = true;
        } else if (std::strcmp(argument, "--seeds") == 0) {
            const char* const value = i + 1 < count ? arguments[++i] : "";
            options.seeds = number_of(value, "--seeds takes a number from 1 to 1000, not");
        } else {
            refuse("does not know", argument);
        }
    }
    return options;
}

Description load(const char* name) {
    Parsed parsed = read_description(std::string(TEFF_MACHINES) + name);
    if (parsed.description) return *std::move(parsed.description);
    std::fprintf(stderr, "machines: %s\n", parsed.error.c_str());
    std::exit(2);
}

// For each relation: in how many of the variations its result is the same as without variation.
struct Survival {
    unsigned variations = 0;
    std::vector<std::string> changes; // where it is not
};

std::vector<Survival> vary(const Experiments& experiments, const std::vector<Relation>& relations) {
    std::vector<Survival> survival(relations.size());
    for (const Cost& cost : costs())
        for (const double factor : {0.5, 2.0}) {
            Experiments varied = experiments.scaled(cost, factor);
            const auto now = varied.judge();
            for (std::size_t i = 0; i < now.size(); ++i) {
                ++survival[i].variations;
                if (now[i].holds() != relations[i].holds())
                    survival[i].changes.push_back(std::string(cost.name) + (factor < 1 ? " halved" : " doubled"));
            }
        }
    return survival;
}

void print(const Relation& relation) {
    std::printf("\n%s  %s%s%s%s: %s\n", relation.id.c_str(), relation.statement.c_str(),
                relation.thesis.empty() ? "" : " (thesis: ", relation.thesis.c_str(),
                relation.thesis.empty() ? "" : ")", relation.holds() ? "holds" : "does not hold");
    for (const Clause& clause : relation.clauses)
        std::printf("    %8.3f  %-4s %s\n", clause.ratio, clause.holds ? "yes" : "NO", clause.text.c_str());
}

void print(const Survival& survival) {
    std::printf("    the same in %zu of %u variations", survival.variations - survival.changes.size(),
                survival.variations);
    for (std::size_t i = 0; i < survival.changes.size(); ++i)
        std::printf("%s%s", i == 0 ? "; not with: " : ", ", survival.changes[i].c_str());
    std::printf("\n");
}

void print_barriers(const Description& description, unsigned fan_in) {
    std::printf("\n%s: cycles of a round (lines moved)\n%-24s", description.name.c_str(), "cores");
    std::vector<std::vector<BarrierCost>> columns;
    for (const unsigned cores : core_counts(description)) {
        std::printf("%16u", cores);
        columns.push_back(barrier_costs(description, cores, fan_in));
    }
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
        const BarrierCost& first = columns[0][row];
        std::printf("\n%-24s", (first.name + (first.of_runtime ? ", in the runtime" : "")).c_str());
        for (const auto& column : columns)
            std::printf("%9.0f %6s", column[row].cycles,
                        ("(" + std::to_string(std::lround(column[row].transfers)) + ")").c_str());
    }
    std::printf("\n");
}

int run_barriers(int count, char** arguments) {
    unsigned fan_in = 0;
    if (count == 2 && std::strcmp(arguments[0], "--fan-in") == 0)
        fan_in = number_of(arguments[1], "--fan-in takes a number from 1 to 1000, not");
    else if (count != 0) refuse("barriers does not know", arguments[0]);
    for (const char* const machine : {"opteron-performance.machine", "server.machine"})
        print_barriers(load(machine), fan_in);
    return 0;
}

int run_timelines(int count, char** arguments) {
    std::string folder, word;
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(arguments[i], "--out") == 0 && i + 1 < count) folder = arguments[++i];
        else if (arguments[i][0] != '-' && word.empty()) word = arguments[i];
        else refuse("timelines does not know", arguments[i]);
    }
    if (folder.empty()) refuse("timelines lacks", "--out DIRECTORY");
    std::vector<TimeLine> lines = time_lines();
    std::erase_if(lines, [&](const TimeLine& line) { return !line.name.starts_with(word); });
    if (lines.empty()) refuse("there is no time line called", word.c_str());
    if (::mkdir(folder.c_str(), 0777) != 0) refuse("cannot make the folder", folder.c_str());
    const Description opteron = load("opteron-performance.machine"), tiles = load("tilepro64.machine");
    std::vector<std::pair<std::string, std::string>> made; // the part of a figure, and the recording
    std::map<std::string, Recorded> most;                  // of each part
    for (const TimeLine& line : lines) {
        made.emplace_back(line.part, folder + "/" + line.name + ".teff");
        const Recorded one = record(line, line.on_tiles ? tiles : opteron, made.back().second);
        if (!one.trouble.empty()) {
            std::fprintf(stderr, "machines: %s\n", one.trouble.c_str());
            return 1;
        }
        Recorded& all = most[line.part];
        all.stall_ns = std::max(all.stall_ns, one.stall_ns);
        all.end_ns = std::max(all.end_ns, one.end_ns);
    }
    for (const auto& [part, path] : made)
        std::printf("%s #colour=stall-time&stall=%llu&span=%llu\n", path.c_str(),
                    static_cast<unsigned long long>(most[part].stall_ns),
                    static_cast<unsigned long long>(most[part].end_ns));
    return 0;
}

void print_loops(const Description& description) {
    struct Kind {
        const char* name;
        LoopSpec spec;
    };
    constexpr Kind kKinds[] = {{"memory", {.count = 3072, .operations = 1000}},
                               {"even", {.count = 3072, .operations = 200000}},
                               {"uneven", {.count = 3072, .operations = 200000, .slower = 4}}};
    std::printf("\n%s: kilocycles of a loop (iterations beside their data, %%)\n", description.name.c_str());
    for (const Kind& kind : kKinds)
        for (const LoopCost& cost : loop_costs(description, kind.spec))
            std::printf("%-8s %-20s %10.0f (%3.0f)\n", kind.name, cost.schedule.c_str(), cost.cycles / 1000,
                        100 * cost.local);
}

int run_loops(int count, char** arguments) {
    if (count != 0) refuse("loops does not know", arguments[0]);
    for (const char* const machine : {"opteron-performance.machine", "server.machine"})
        print_loops(load(machine));
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    if (count > 1 && std::strcmp(arguments[1], "barriers") == 0) return run_barriers(count - 2, arguments + 2);
    if (count > 1 && std::strcmp(arguments[1], "timelines") == 0) return run_timelines(count - 2, arguments + 2);
    if (count > 1 && std::strcmp(arguments[1], "scc") == 0) return scc::run_verb(count - 2, arguments + 2);
    if (count > 1 && std::strcmp(arguments[1], "loops") == 0) return run_loops(count - 2, arguments + 2);
    const Options options = read_options(count, arguments);
    Experiments experiments(load("opteron-performance.machine"), load("tilepro64.machine"), options.seeds,
                            options.quick);
    const auto relations = experiments.judge();
    std::vector<Survival> survival;
    if (!options.fixed) survival = vary(experiments, relations);
    unsigned held = 0;
    for (std::size_t i = 0; i < relations.size(); ++i) {
        print(relations[i]);
        if (!options.fixed) print(survival[i]);
        held += relations[i].holds();
    }
    std::printf("\n%u of %zu relations hold\n", held, relations.size());
    return 0;
}
