// SPDX-License-Identifier: Apache-2.0
//
// Program: a program of tasks to run on a modelled machine: its allocations, and the parts of them
// that each task uses. It does not say where the data lie; Placed does (placed.h).
//
// An extent is memory that tasks use as a whole: a number of rows of bytes at a stride, in one
// allocation. Tasks name extents as depend clauses do: a task that reads an extent runs after its
// last writer; a task that writes an extent runs after its last writer and all readers since then.
//
// The programs are those of Muddukrishna's thesis (2016, chapter 3), in the form that workloads/
// contains, with the thesis's inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/task_graph.h"

namespace teff::machine {

struct Extent {
    std::uint32_t allocation = 0;
    std::uint64_t offset = 0;
    std::uint64_t rows = 1, row_bytes = 0, stride = 0;
    std::uint64_t bytes() const { return rows * row_bytes; }
};

enum class Mode : std::uint8_t {
    in,
    out,
    inout,
    order, // named as `in`, and not touched
    touch, // read, and not named
};

struct Use {
    std::uint32_t extent = 0;
    Mode mode = Mode::in;
};

inline constexpr std::uint32_t kNoExtent = ~0u;

struct TaskSpec {
    double operations = 0; // of arithmetic
    std::vector<Use> uses = {};
    std::uint32_t intense = kNoExtent; // used far more than the others, the program says
};

struct Program {
    std::string name;
    std::vector<std::uint64_t> allocations = {}; // bytes, in their order
    std::vector<Extent> extents = {};
    std::vector<TaskSpec> tasks = {}; // in the order of their creation
    // Which task creates which, and for what the tasks wait. Without a graph, the first thread
    // creates all tasks.
    std::optional<TaskGraph> graph = {};

    std::uint32_t allocate(std::uint64_t bytes) {
        allocations.push_back(bytes);
        return static_cast<std::uint32_t>(allocations.size() - 1);
    }
    // Returns the number of the extent.
    std::uint32_t add(const Extent& extent) {
        extents.push_back(extent);
        return static_cast<std::uint32_t>(extents.size() - 1);
    }
    // An allocation that is used as a whole.
    std::uint32_t add_whole(std::uint64_t bytes) { return add({.allocation = allocate(bytes), .row_bytes = bytes}); }
};

// For each task: how many predecessors it has, and which tasks are its successors.
struct Order {
    std::vector<std::uint32_t> unmet;
    std::vector<std::vector<std::uint32_t>> successors;
};
Order order_of(const Program& program);

Program map(std::uint64_t vectors, std::uint64_t bytes, std::uint64_t element_bytes);
// 2^depth sorted runs of `bytes` bytes in all are merged in pairs into the second half of the
// allocation, and back.
Program reduction(std::uint64_t bytes, unsigned depth, std::uint64_t element_bytes);
Program vecmul(std::uint64_t vectors, std::uint64_t bytes, std::uint64_t element_bytes);
Program matmul(std::uint64_t rows, std::uint64_t block);
Program jacobi(std::uint64_t rows, std::uint64_t block, unsigned iterations);
Program sparselu(std::uint64_t blocks, std::uint64_t block, std::uint64_t element_bytes);

} // namespace teff::machine
