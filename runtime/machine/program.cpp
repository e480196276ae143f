// SPDX-License-Identifier: Apache-2.0
#include "machine/program.h"

#include <algorithm>

#include "common/hash.h" // of the workloads: the same blocks hold values

namespace teff::machine {

namespace {

Order order_of(const TaskGraph& graph) {
    Order order;
    order.successors.resize(graph.tasks.size());
    for (std::uint32_t task = 0; task < graph.tasks.size(); ++task) {
        order.unmet.push_back(static_cast<std::uint32_t>(graph.tasks[task].after.size()));
        for (const std::uint32_t earlier : graph.tasks[task].after)
            order.successors[earlier].push_back(task);
    }
    return order;
}

} // namespace

Order order_of(const Program& program) {
    if (program.graph) return order_of(*program.graph);
    constexpr std::uint32_t kNone = ~0u;
    struct Last {
        std::uint32_t writer = kNone;
        std::vector<std::uint32_t> readers; // since
    };
    std::vector<Last> last(program.extents.size());
    Order order;
    order.unmet.resize(program.tasks.size());
    order.successors.resize(program.tasks.size());
    for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
        std::vector<std::uint32_t> before;
        for (const Use& use : program.tasks[task].uses) {
            Last& here = last[use.extent];
            if (use.mode == Mode::touch) continue;
            if (here.writer != kNone && here.writer != task) before.push_back(here.writer);
            if (use.mode == Mode::in || use.mode == Mode::order) {
                here.readers.push_back(task);
                continue;
            }
            for (const std::uint32_t reader : here.readers)
                if (reader != task) before.push_back(reader);
            here = {task, {}};
        }
        std::sort(before.begin(), before.end());
        before.erase(std::unique(before.begin(), before.end()), before.end());
        order.unmet[task] = static_cast<std::uint32_t>(before.size());
        for (const std::uint32_t earlier : before)
            order.successors[earlier].push_back(task);
    }
    return order;
}

Program map(std::uint64_t vectors, std::uint64_t bytes, std::uint64_t element_bytes) {
    Program program{.name = "map"};
    for (std::uint64_t i = 0; i < vectors; ++i)
        program.tasks.push_back(
            {static_cast<double>(bytes / element_bytes), {{program.add_whole(bytes), Mode::inout}}});
    return program;
}

Program reduction(std::uint64_t bytes, unsigned depth, std::uint64_t element_bytes) {
    Program program{.name = "reduction"};
    const std::uint64_t elements = bytes / element_bytes;
    const auto begin_of = [&](std::uint64_t run, unsigned level) {
        return (elements * (run << level) >> depth) * element_bytes;
    };
    const std::uint32_t memory = program.allocate(2 * elements * element_bytes);
    const auto add_run = [&](std::uint64_t run, unsigned level) {
        const std::uint64_t begin = begin_of(run, level), half = level % 2 * elements * element_bytes;
        return program.add(
            {.allocation = memory, .offset = half + begin, .row_bytes = begin_of(run + 1, level) - begin});
    };
    std::vector<std::uint32_t> runs;
    for (std::uint64_t run = 0; run < std::uint64_t{1} << depth; ++run)
        runs.push_back(add_run(run, 0));
    for (unsigned level = 0; level < depth; ++level) {
        std::vector<std::uint32_t> merged;
        for (std::uint64_t pair = 0; pair < runs.size() / 2; ++pair) {
            merged.push_back(add_run(pair, level + 1));
            const double made = static_cast<double>(program.extents.back().bytes() / element_bytes);
            constexpr double kPerElement = 4; // compares, chooses, moves
            program.tasks.push_back(
                {kPerElement * made,
                 {{runs[2 * pair], Mode::in}, {runs[2 * pair + 1], Mode::in}, {merged.back(), Mode::out}}});
        }
        runs = merged;
    }
    return program;
}

Program vecmul(std::uint64_t vectors, std::uint64_t bytes, std::uint64_t element_bytes) {
    Program program{.name = "vecmul"};
    std::vector<std::uint32_t> lists;
    for (std::uint64_t i = 0; i < 3 * vectors; ++i)
        lists.push_back(program.add_whole(bytes));
    constexpr double kPerElement = 3; // two products and a difference
    for (std::uint64_t i = 0; i < vectors; ++i)
        program.tasks.push_back(
            {kPerElement * static_cast<double>(bytes / element_bytes),
             {{lists[i], Mode::in}, {lists[vectors + i], Mode::in}, {lists[2 * vectors + i], Mode::out}}});
    return program;
}

Program matmul(std::uint64_t rows, std::uint64_t block) {
    Program program{.name = "matmul"};
    const std::uint64_t side = rows / block;
    std::vector<std::uint32_t> blocks; // of the three matrices, one after the other
    for (std::uint64_t i = 0; i < 3 * side * side; ++i)
        blocks.push_back(program.add_whole(block * block * sizeof(double)));
    for (std::uint64_t i = 0; i < side; ++i)
        for (std::uint64_t j = 0; j < side; ++j) {
            TaskSpec task{.operations = 2 * static_cast<double>(rows * block * block), .uses = {}};
            for (std::uint64_t k = 0; k < side; ++k) {
                task.uses.push_back({blocks[i * side + k], Mode::in});
                task.uses.push_back({blocks[(side + k) * side + j], Mode::in});
            }
            task.uses.push_back({blocks[(2 * side + i) * side + j], Mode::inout});
            program.tasks.push_back(task);
        }
    return program;
}

namespace {

// A plate of square blocks, and the rows and columns at their edges.
class Plate {
  public:
    Plate(Program& program, std::uint64_t rows, std::uint64_t block) : block_(block), side_(rows / block) {
        const std::uint64_t stride = rows * sizeof(double), line = 64;
        const std::uint32_t memory = program.allocate(rows * stride);
        for (std::uint64_t i = 0; i < side_; ++i)
            for (std::uint64_t j = 0; j < side_; ++j) {
                const std::uint64_t corner = i * block * stride + j * block * sizeof(double);
                const std::uint64_t last_row = corner + (block - 1) * stride, width = block * sizeof(double);
                whole_.push_back(program.add({memory, corner, block, width, stride}));
                top_.push_back(program.add({memory, corner, 1, width, stride}));
                bottom_.push_back(program.add({memory, last_row, 1, width, stride}));
                left_.push_back(program.add({memory, corner, block, line, stride}));
                right_.push_back(program.add({memory, corner + width - line, block, line, stride}));
            }
    }

    // Returns a task that computes a block of `to` from the block at the same position in this
    // plate, and from its neighbours.
    TaskSpec relax(const Plate& to, std::uint64_t i, std::uint64_t j) const {
        constexpr double kPerPoint = 4;
        TaskSpec task{.operations = kPerPoint * static_cast<double>(block_ * block_),
                      .uses = {{at(whole_, i, j), Mode::in}}};
        const auto neighbour = [&](const std::vector<std::uint32_t>& edge, std::uint64_t row, std::uint64_t column) {
            task.uses.push_back({at(whole_, row, column), Mode::order});
            task.uses.push_back({at(edge, row, column), Mode::touch});
        };
        if (i > 0) neighbour(bottom_, i - 1, j);
        if (i + 1 < side_) neighbour(top_, i + 1, j);
        if (j > 0) neighbour(right_, i, j - 1);
        if (j + 1 < side_) neighbour(left_, i, j + 1);
        task.uses.push_back({to.at(to.whole_, i, j), Mode::out});
        return task;
    }

  private:
    std::uint32_t at(const std::vector<std::uint32_t>& extents, std::uint64_t i, std::uint64_t j) const {
        return extents[i * side_ + j];
    }
    std::uint64_t block_, side_;
    std::vector<std::uint32_t> whole_, top_, bottom_, left_, right_;
};

} // namespace

Program jacobi(std::uint64_t rows, std::uint64_t block, unsigned iterations) {
    Program program{.name = "jacobi"};
    const std::uint64_t side = rows / block;
    const Plate first(program, rows, block), second(program, rows, block);
    for (unsigned iteration = 0; iteration < iterations; ++iteration) {
        const Plate &from = iteration % 2 == 0 ? first : second, &to = iteration % 2 == 0 ? second : first;
        for (std::uint64_t i = 0; i < side; ++i)
            for (std::uint64_t j = 0; j < side; ++j)
                program.tasks.push_back(from.relax(to, i, j));
    }
    return program;
}

namespace {

class SparseMatrix {
  public:
    SparseMatrix(Program& program, std::uint64_t side, std::uint64_t bytes)
        : program_(program), side_(side), bytes_(bytes), block_(side * side, kNoExtent) {
        for (std::uint64_t i = 0; i < side; ++i)
            for (std::uint64_t j = 0; j < side; ++j)
                if (i <= j + 1 && j <= i + 1) (void)make(i, j);
                else if (hash_mix(i * side + j) % 5 == 0) (void)make(i, j);
    }
    bool has(std::uint64_t i, std::uint64_t j) const { return block_[i * side_ + j] != kNoExtent; }
    // Returns the block, which is made if it does not exist.
    std::uint32_t make(std::uint64_t i, std::uint64_t j) {
        std::uint32_t& block = block_[i * side_ + j];
        if (block == kNoExtent) block = program_.add_whole(bytes_);
        return block;
    }

  private:
    Program& program_;
    std::uint64_t side_, bytes_;
    std::vector<std::uint32_t> block_;
};

} // namespace

Program sparselu(std::uint64_t blocks, std::uint64_t block, std::uint64_t element_bytes) {
    Program program{.name = "sparselu"};
    SparseMatrix matrix(program, blocks, block * block * element_bytes);
    const double cube = static_cast<double>(block * block * block);
    for (std::uint64_t k = 0; k < blocks; ++k) {
        const std::uint32_t diagonal = matrix.make(k, k);
        program.tasks.push_back({2 * cube / 3, {{diagonal, Mode::inout}}});
        const auto solve = [&](std::uint64_t i, std::uint64_t j) {
            if (matrix.has(i, j))
                program.tasks.push_back({cube, {{diagonal, Mode::in}, {matrix.make(i, j), Mode::inout}}});
        };
        for (std::uint64_t j = k + 1; j < blocks; ++j)
            solve(k, j);
        for (std::uint64_t i = k + 1; i < blocks; ++i)
            solve(i, k);
        for (std::uint64_t i = k + 1; i < blocks; ++i)
            for (std::uint64_t j = k + 1; j < blocks; ++j) {
                if (!matrix.has(i, k) || !matrix.has(k, j)) continue;
                const std::uint32_t inner = matrix.make(i, j);
                program.tasks.push_back(
                    {2 * cube,
                     {{matrix.make(i, k), Mode::in}, {matrix.make(k, j), Mode::in}, {inner, Mode::inout}},
                     inner});
            }
    }
    return program;
}

} // namespace teff::machine
