// SPDX-License-Identifier: Apache-2.0
// The twin of depend.c: the same graphs as a oneTBB flow graph. As in OpenMP, the time includes
// building the graph.
#include "arena.h"

#include <oneapi/tbb/flow_graph.h>

#include <deque>
#include <vector>

#include "../depend_graph.h"

namespace {

namespace flow = tbb::flow;
using Node = flow::continue_node<flow::continue_msg>;

long shape, tasks;

const workload_option options[] = {
    {"shape", "the graph, as in depend", &shape, 0, 2, {SHAPE_CHAIN, SHAPE_CHAIN, SHAPE_CHAIN}, shape_names},
    {"tasks", "tasks to create, about", &tasks, 5, 10000000, {10000, 200000, 1000000}, nullptr},
};
const workload self = {"tbb_depend", "tiny tasks ordered by the edges of a flow graph", options,
                       WORKLOAD_OPTION_COUNT(options)};

class Graph {
  public:
    template <typename Body> Node& add(const Body& body) {
        return nodes_.emplace_back(graph_, [body](flow::continue_msg) { body(); });
    }

    // The first node added must be the only one without a predecessor.
    void run() {
        nodes_.front().try_put(flow::continue_msg());
        graph_.wait_for_all();
    }

  private:
    flow::graph graph_;
    std::deque<Node> nodes_;
};

std::uint64_t run_chain() {
    std::uint64_t value = 0;
    Graph graph;
    Node* last = nullptr;
    for (long i = 0; i < tasks; ++i) {
        Node& node = graph.add([&value, i] { value = combine_values(value, static_cast<std::uint64_t>(i)); });
        if (last) flow::make_edge(*last, node);
        last = &node;
    }
    graph.run();
    return value;
}

std::uint64_t run_diamonds() {
    std::uint64_t top = 0, middle[MIDDLES];
    Graph graph;
    Node* last = &graph.add([] {});
    for (long d = 0; d < tasks / (MIDDLES + 1); ++d) {
        Node* middles[MIDDLES];
        for (int i = 0; i < MIDDLES; ++i) {
            middles[i] =
                &graph.add([&top, &middle, i] { middle[i] = combine_values(top, static_cast<std::uint64_t>(i)); });
            flow::make_edge(*last, *middles[i]);
        }
        last = &graph.add([&top, &middle] { top = join_middles(middle); });
        for (Node* node : middles)
            flow::make_edge(*node, *last);
    }
    graph.run();
    return top;
}

std::uint64_t run_wavefront() {
    const long side = grid_side(tasks), width = side + 1;
    std::vector<std::uint64_t> grid(static_cast<std::size_t>(width * width), 0);
    std::vector<Node*> above(static_cast<std::size_t>(width), nullptr);
    Graph graph;
    for (long row = 1; row <= side; ++row)
        for (long column = 1; column <= side; ++column) {
            Node& node =
                graph.add([cells = grid.data(), width, row, column] { compute_cell(cells, width, row, column); });
            const auto at = static_cast<std::size_t>(column);
            if (row > 1) flow::make_edge(*above[at], node);
            if (column > 1) flow::make_edge(*above[at - 1], node);
            above[at] = &node;
        }
    graph.run();
    return grid.back();
}

std::uint64_t run() {
    if (shape == SHAPE_DIAMOND) return run_diamonds();
    return shape == SHAPE_WAVEFRONT ? run_wavefront() : run_chain();
}

std::uint64_t run_serially() {
    if (shape == SHAPE_CHAIN) return chain_serial(tasks);
    if (shape == SHAPE_DIAMOND) return diamond_serial(tasks);
    const long side = grid_side(tasks);
    std::vector<std::uint64_t> grid(static_cast<std::size_t>((side + 1) * (side + 1)), 0);
    return wavefront_serial(grid.data(), side);
}

} // namespace

int main(int argc, char** argv) {
    workload_init(&self, argc, argv);
    std::uint64_t value = 0;
    const double time_s = seconds_in_arena([&value] { value = run(); });
    if (workload_check_wanted())
        workload_expect(value == run_serially(), "a %s ran out of order: %#lx, expected %#lx", shape_names[shape],
                        value, run_serially());
    return workload_report(time_s, graph_tasks(shape, tasks), "%#lx", value);
}
