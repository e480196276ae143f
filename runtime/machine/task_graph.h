// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: what the threads and tasks of a program do, step by step, as a text file describes it
// (docs/formats/taskgraph.md). `teff export --format taskgraph` writes such a file for a recorded
// run.
//
// A plain value. The reader refuses a text that describes something no program could do, such as a
// task that is created twice. It does not check that all waits end, which only shows when the graph
// runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace teff::machine {

enum class StepKind : std::uint8_t {
    work,    // computes for a number of ns
    create,  // a task, that any thread may run
    call,    // a task, that runs at once inside this one
    wait,    // until all tasks of a join have ended
    barrier, // of all threads of the region
    region,  // all threads do their parts of it, and come together at its end
    loop,    // takes pieces of a loop until none is left
    lock,
    unlock,
    await, // a signal
    post,  // a signal
    fulfil // the event of a task
};

struct Step {
    StepKind kind = StepKind::work;
    std::uint32_t number = 0;  // of what it is about
    std::uint64_t work_ns = 0; // of work alone
};

// StepRange, one behind the other.
struct StepRange {
    std::uint32_t begin = 0, end = 0;
};

inline constexpr std::uint32_t kNoJoin = ~0u;

struct GraphTask {
    StepRange steps;
    std::uint32_t join = kNoJoin;     // that waits for its end, beside barriers
    bool has_event = false;           // it has not ended before this is fulfilled
    std::vector<std::uint32_t> after; // tasks
};

struct TaskGraph {
    unsigned threads = 0;
    std::vector<Step> steps;
    StepRange program;                         // of the first thread
    std::vector<GraphTask> tasks;              //
    std::vector<StepRange> regions;            // of each region, the parts of its threads
    std::vector<std::vector<StepRange>> loops; // of each, its pieces
    std::uint32_t joins = 0, locks = 0, signals = 0;

    const StepRange& part(std::uint32_t region, unsigned thread) const {
        return regions[std::size_t{region} * threads + thread];
    }
    std::uint64_t work_ns() const;
};

inline constexpr std::uint32_t kMostThreads = 256; // as a modelled machine has cores

struct ParsedGraph {
    std::optional<TaskGraph> graph;
    std::string error; // FILE:LINE: what is wrong, and what to do
};

// `file` is used only in messages.
ParsedGraph parse_task_graph(std::string_view text, const std::string& file);

} // namespace teff::machine
