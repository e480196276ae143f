// SPDX-License-Identifier: Apache-2.0
//
// teff-machine: runs a task graph on a modelled machine, and prints the result. `teff predict
// --machine` starts it.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>
#include <string>

#include "machine/recording.h"
#include "machine/team.h"

namespace {

using namespace teff::machine;

constexpr char kHelp[] =
    "usage: teff-machine --machine FILE [--schedule POLICY] [--seed N] [--record FOLDER] < GRAPH\n"
    "       teff-machine --machine FILE --describe\n"
    "\n"
    "  Runs a task graph, as `teff export --format taskgraph` writes it, on a modelled machine in virtual time, under\n"
    "  the runtime's own scheduler, and prints what came out as one JSON object. docs/formats/taskgraph.md and\n"
    "  docs/formats/machine.md define both texts; docs/predicting.md says what the model knows.\n"
    "\n"
    "  --machine FILE     the machine; it has as many cores as the graph has threads, or more\n"
    "  --schedule POLICY  work_stealing, central or round_robin (work_stealing)\n"
    "  --seed N           whom idle cores look at first, from 0 to 2^64-1 (1); the same number gives the same run\n"
    "  --record FOLDER    make this folder, a recording of the run: docs/formats/trace.md\n"
    "  --describe         print what the machine is, and read no graph\n";

struct Options {
    std::string machine;
    Schedule schedule = Schedule::work_stealing;
    std::string_view schedule_name = "work_stealing";
    std::uint64_t seed = 1;
    std::string record; // empty: nowhere
    bool describe = false;
};

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "teff-machine: %s\n", why.c_str());
    std::exit(2);
}

// Checks that the output has been written, and prints a message if it has not.
int finish() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
    std::fprintf(stderr, "teff-machine: cannot write standard output: %s\n", std::strerror(errno));
    return 1;
}

[[noreturn]] void refuse_for_memory() {
    refuse("there is no memory left to run the graph, which takes some 20 MB of address space for each thread; raise "
           "the limit (ulimit -v), or ask for fewer threads");
}

void read_schedule(std::string_view name, Options& options) {
    std::string known;
    for (const NamedSchedule& each : kSchedulesOfGraphs) {
        if (each.name == name) {
            options.schedule = each.schedule;
            options.schedule_name = each.name;
            return;
        }
        known += (known.empty() ? "" : ", ") + std::string(each.name);
    }
    const char* const why = name == "locality" ? ", as a graph's tasks name no data to go by" : "";
    refuse("there is no schedule '" + std::string(name) + "' here" + why + "; those that there are: " + known);
}

void read_seed(std::string_view digits, Options& options) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), options.seed);
    if (error != std::errc() || end != digits.data() + digits.size())
        refuse("--seed takes a whole number, not '" + std::string(digits) + "'");
}

Options read_options(int count, char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        const std::string_view value = i + 1 < count ? arguments[i + 1] : "";
        if (argument == "--help" || argument == "-h") {
            std::fputs(kHelp, stdout);
            std::exit(finish());
        }
        if (argument == "--describe") {
            options.describe = true;
            continue;
        }
        if (argument == "--machine") options.machine = value;
        else if (argument == "--schedule") read_schedule(value, options);
        else if (argument == "--seed") read_seed(value, options);
        else if (argument == "--record") options.record = value;
        else refuse("does not know '" + std::string(argument) + "'; teff-machine --help tells what it knows");
        ++i;
    }
    if (options.machine.empty()) refuse("--machine FILE is missing; teff-machine --help tells more");
    return options;
}

Description load(const std::string& file) {
    Parsed parsed = read_description(file);
    if (!parsed.description) refuse(parsed.error);
    return *std::move(parsed.description);
}

TaskGraph read_graph() {
    std::cin.sync_with_stdio(false);
    std::string text;
    for (char part[1 << 16]; std::cin.read(part, sizeof part), std::cin.gcount() > 0;)
        text.append(part, static_cast<std::size_t>(std::cin.gcount()));
    ParsedGraph parsed = parse_task_graph(text, "graph");
    if (!parsed.graph) refuse(parsed.error);
    return *std::move(parsed.graph);
}

void print_machine(const Description& machine) {
    std::printf("{\"machine\": \"%s\", \"cores\": %zu, \"clock_mhz\": %u, \"work_clock_mhz\": %u", machine.name.c_str(),
                cores_of(machine).size(), machine.clock_mhz, machine.work_clock_mhz);
}

void record(const Options& options, const Description& machine, unsigned threads, std::optional<Recording>& into) {
    into.emplace(options.record,
                 Setting{.program = "(a task graph)",
                         .machine = machine.name,
                         .policy = std::string(options.schedule_name),
                         .seed = options.seed,
                         .clock_mhz = machine.clock_mhz},
                 threads);
}

void finish(Recording& recording, Time end) {
    const std::string trouble = recording.finish(end);
    if (trouble.empty()) return;
    std::fprintf(stderr, "teff-machine: %s\n", trouble.c_str());
    std::exit(1);
}

void predict(const Options& options, const Description& machine) {
    TaskGraph graph = read_graph();
    const std::size_t cores = cores_of(machine).size();
    const unsigned threads = graph.threads;
    if (threads > cores)
        refuse("the graph has " + std::to_string(threads) + " threads, and " + machine.name + " " +
               std::to_string(cores) + " cores; ask for fewer threads, or name a larger machine");
    if (graph.work_ns() > (~Time{0} >> 2) / machine.work_clock())
        refuse("the graph's work takes longer than can be counted");
    std::optional<Recording> recording;
    if (!options.record.empty()) record(options, machine, threads, recording);
    const Outcome outcome = run(std::move(graph), machine, {.schedule = options.schedule, .seed = options.seed},
                                recording ? &*recording : nullptr);
    if (!outcome.complete) recording.reset();
    if (outcome.lacks_stacks) refuse_for_memory();
    if (outcome.too_deep) refuse("more tasks run inside each other than there is room for");
    if (!outcome.complete)
        refuse("the graph does not come to its end on " + std::to_string(threads) +
               (threads == 1 ? " thread" : " threads") + ": all wait, for each other or for what nobody does");
    if (recording) finish(*recording, outcome.end);
    const auto ns = [&](Time time) { return static_cast<double>(time) / machine.clock_mhz; };
    print_machine(machine);
    std::printf(", \"schedule\": \"%.*s\", \"seed\": %llu, \"threads\": %u, \"time_ns\": %.0f, \"work_ns\": %.0f, "
                "\"creation_ns\": %.0f, \"moved\": %llu, \"transfers\": %llu}\n",
                static_cast<int>(options.schedule_name.size()), options.schedule_name.data(),
                static_cast<unsigned long long>(options.seed), threads, ns(outcome.makespan), ns(outcome.work),
                ns(outcome.creation), static_cast<unsigned long long>(outcome.moved),
                static_cast<unsigned long long>(outcome.transfers));
}

} // namespace

int main(int count, char** arguments) {
    std::set_new_handler(refuse_for_memory);
    const Options options = read_options(count, arguments);
    const Description machine = load(options.machine);
    if (!options.describe) {
        predict(options, machine);
    } else {
        print_machine(machine);
        std::puts("}");
    }
    return finish();
}
