// SPDX-License-Identifier: Apache-2.0
#include "machines/timelines.h"

#include <initializer_list>
#include <utility>

#include "machine/recording.h"

namespace teff::machine {

namespace {

using enum Schedule;
using enum Spreading;

constexpr std::uint64_t kKiB = 1024;

// A label as a part of a file's name.
std::string file_name(std::string text) {
    std::string name;
    for (const char letter : text)
        if (letter != ',') name += letter == ' ' || letter == '+' ? '-' : letter;
    return name;
}

} // namespace

std::string label(const Trial& trial) {
    constexpr const char* kSchedules[] = {"WS", "central", "locality", "round robin", "LA as written", "LA", "LA"};
    std::string text =
        std::string(kSchedules[static_cast<unsigned>(trial.schedule)]) + "+" + std::string(name_of(trial.spreading));
    if (trial.schedule == thesis_tiles) text += ", vicinity " + std::to_string(trial.vicinity);
    return text;
}

std::vector<TimeLine> time_lines() {
    std::vector<TimeLine> lines;
    const auto add = [&](const char* figure, bool on_tiles, const Program& program, const Trial& trial) {
        const std::string part = figure + ("-" + program.name);
        lines.push_back({part, part + "-" + file_name(label(trial)), on_tiles, program, trial});
    };
    for (const Program& program : {map(48, kKiB * kKiB, sizeof(double)), matmul(4096, 128)})
        for (const Schedule schedule : {work_stealing, thesis_hops})
            for (const Spreading spreading : {fine, coarse})
                add("3.8", false, program, {schedule, spreading});
    const Program programs[] = {map(63, 32 * kKiB, sizeof(int)), vecmul(128, 28 * kKiB, sizeof(int))};
    for (const Program& program : programs) {
        add("3.10", true, program, {work_stealing, fine});
        // The vicinity that is best for the program.
        add("3.10", true, program, {thesis_tiles, coarse, program.name == "map" ? 1u : 16u});
        for (const unsigned vicinity : {1u, 4u, 8u, 16u, 63u})
            add("3.11", true, program, {thesis_tiles, coarse, vicinity});
    }
    return lines;
}

Recorded record(const TimeLine& line, const Description& machine, const std::string& path) {
    Recording recording(path,
                        {.program = line.program.name,
                         .machine = machine.name,
                         .policy = label(line.trial),
                         .seed = line.trial.seed,
                         .clock_mhz = machine.clock_mhz},
                        static_cast<unsigned>(cores_of(machine).size()));
    const Outcome outcome = run(line.program, machine, line.trial, &recording);
    if (!outcome.complete) return {.trouble = path + ": the run does not come to its end"};
    return {.trouble = recording.finish(outcome.end),
            .stall_ns = recording.longest_stall() / machine.clock_mhz,
            .end_ns = outcome.end / machine.clock_mhz};
}

} // namespace teff::machine
