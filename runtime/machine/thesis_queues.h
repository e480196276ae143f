// SPDX-License-Identifier: Apache-2.0
//
// ThesisQueues: the schedulers of Muddukrishna's thesis (2016, chapter 3) as policies of the
// runtime, for modelled machines only. Their results are compared with those that the thesis
// measured.
//
// One queue per node, first in, first out. Algorithm 1 looks at the data that a task names. If
// these data exceed a core's share of the cache and are not spread evenly, the task goes into the
// queue of the node that can access them at the lowest cost. Otherwise the task goes into the queue
// of the core that makes it ready. Algorithm 2 lets a core take tasks from other nodes, the nearest
// first, if a node's queue has more tasks than the distance times the number of cores of a node.
// Algorithm 3, for tiles, chooses the queue by home caches if the distribution is coarse; a core
// takes tasks from the queues of its vicinity.
//
// In the thesis, a core that finds no task keeps polling. The model does not simulate each poll: it
// suspends the core until a task arrives in a queue from which the core may take.
#pragma once

#include <memory>
#include <vector>

#include "machine/atomics.h"
#include "machine/placed.h"
#include "sched/policy.h"
#include "sched/shared_queue.h"

namespace teff::machine {

inline constexpr std::uint32_t kNoNode = ~0u;

// For each task: the node into whose queue it is put, or kNoNode for the node where it becomes
// ready.
std::vector<std::uint32_t> homes_on_nodes(const Program& program, const Placed& placed, const Description& description,
                                          const Topology& topology);
std::vector<std::uint32_t> homes_on_tiles(const Program& program, const Placed& placed, const Description& description,
                                          const Topology& topology, Spreading spreading);

// A queue from which a core takes tasks, and how many tasks must be in this queue in addition to
// the task that the core takes.
struct Source {
    std::uint32_t node;
    std::uint64_t more_than;
};
using Sources = std::vector<std::vector<Source>>; // of each node

enum class Steps : std::uint8_t {
    distance, // as the thesis writes it: what the system tells
    hops,     // as its published code has it: 1 to the nearest, and so on
};
Sources sources_on_nodes(const Description& description, const Topology& topology, Steps steps);
// A vicinity of 1, 4, 8 or 16 tiles is a rectangle of the mesh; any other is all tiles.
Sources sources_on_tiles(const Description& description, const Topology& topology, unsigned vicinity);

class ThesisQueues final : public sched::PolicyOver<Atomics> {
  public:
    using NodeOfTask = std::uint32_t (*)(const sched::Runnable*);

    // `nodes` has the node of each member.
    ThesisQueues(std::vector<std::uint32_t> cores, std::vector<std::uint32_t> nodes, Sources sources, NodeOfTask home);

    void resize(unsigned) override {}
    [[nodiscard]] bool put(Lane& lane, sched::Runnable* item) override;
    void put_anywhere(sched::Runnable* item) override { deal(item, 0); }
    [[nodiscard]] sched::Runnable* take(Lane& lane, const sched::Waiter& waiter, sched::Look look,
                                        sched::Sought sought) override;
    bool looks_drained() const override;
    void forget_other_threads(Lane&) override {}

    // Called at the end of the program: makes all cores that have stopped polling poll again.
    void rouse_all();

  private:
    struct alignas(base::kCacheLine) Queue {
        sched::SharedQueueOver<Atomics> tasks;
        atomic<std::uint32_t> length{0};
    };

    void deal(sched::Runnable* item, std::uint32_t here);
    sched::Runnable* look(std::uint32_t node, const sched::Waiter& waiter);
    void rouse_takers(std::uint32_t node);

    std::vector<std::uint32_t> cores_, nodes_;
    Sources sources_;
    NodeOfTask home_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::uint64_t dealt_ = 0; // tasks
    bool over_ = false;
};

} // namespace teff::machine
