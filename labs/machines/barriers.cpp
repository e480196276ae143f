// SPDX-License-Identifier: Apache-2.0
#include "machines/barriers.h"

#include <functional>
#include <memory>

#include "barriers/family.h"
#include "machine/atomics.h"
#include "region/team_protocol.h"

namespace teff::machine {

namespace {

using sync::barriers::Round;
using sync::barriers::Shape;

constexpr Round kWarmUp = 4, kRounds = 12;

// ---- The barriers as the runtime uses them.

struct Member {
    atomic<std::uint64_t> created{0}, finished{0};
};

// No member sleeps: members poll all the time.
struct NobodySleeps {
    void wake_all_if_any(teff_wake_cause) {}
};

// The parts of a team that region/team_protocol.h requires at a barrier.
struct Team {
    Team(const Shape& shape, std::vector<std::unique_ptr<Member>>& all) : size(shape.members), members(all.data()) {
        lines.reset(new Groups::Line[Groups::lines_for(shape)]);
        groups = {lines.get(), shape.members, shape.fan_in};
    }

    using Groups = sync::barriers::Groups<Atomics>;

    alignas(base::kCacheLine) atomic<std::uint32_t> generation{0};
    alignas(base::kCacheLine) atomic<bool> has_tasks{false};
    atomic<bool> cancelled{false};
    atomic<std::uint64_t> finished_elsewhere{0};
    alignas(base::kCacheLine) atomic<std::uint32_t> arrived{0};
    alignas(base::kCacheLine) unsigned size;
    std::unique_ptr<Member>* members;
    std::unique_ptr<Groups::Line[]> lines;
    Groups groups;
    NobodySleeps ready;
};

template <class Open> void meet(Open open) {
    if (open.arrive()) return;
    while (!open.over())
        Atomics::cpu_relax();
}

void meet_centrally(Team& team, unsigned, std::uint32_t phase) {
    meet(region::BarrierOpen<Atomics, Team>{{team}, phase, false});
}
void meet_in_groups(Team& team, unsigned number, std::uint32_t phase) {
    meet(region::BarrierOpen<Atomics, Team, region::CombiningWay<Atomics, Team>>{{team, number}, phase, false});
}

// ---- Both kinds of barriers.

struct Sum {
    Time end = 0;
    std::uint64_t transfers = 0;
};

// `meet(number, round)` executes one barrier of a member; rounds count from 1.
Sum simulate(const Description& description, const Topology& topology, unsigned cores, Round rounds,
             const std::function<void(unsigned, Round)>& meet) {
    std::vector<std::function<void()>> parts(std::size_t{description.nodes} * description.cores_per_node);
    for (unsigned i = 0; i < cores; ++i)
        parts[i] = [&, i] {
            for (Round round = 1; round <= rounds; ++round)
                meet(i, round);
        };
    Simulation simulation(description, topology);
    const bool complete = simulation.run(parts);
    return complete ? Sum{simulation.end(), simulation.lines().transfers()} : Sum{};
}

// `make` makes a new barrier, because the machine's caches still contain lines of the old barrier.
template <class Make>
BarrierCost cost_of(const Description& description, const Topology& topology, const Shape& shape, Make&& make) {
    const auto run = [&](Round rounds) {
        const auto meet = make();
        return simulate(description, topology, shape.members, rounds, meet);
    };
    const Sum few = run(kWarmUp), many = run(kWarmUp + kRounds);
    return {.name = {},
            .of_runtime = false,
            .cores = shape.members,
            .cycles = static_cast<double>(many.end - few.end) / kCycle / kRounds,
            .transfers = static_cast<double>(many.transfers - few.transfers) / kRounds};
}

using Meet = void (*)(Team&, unsigned, std::uint32_t);

BarrierCost cost_in_runtime(const Description& description, const Topology& topology, const Shape& shape,
                            const char* name, Meet meet) {
    std::vector<std::unique_ptr<Member>> members(shape.members);
    BarrierCost cost = cost_of(description, topology, shape, [&] {
        auto team = std::make_shared<Team>(shape, members);
        return [=](unsigned number, Round round) { meet(*team, number, round - 1); };
    });
    cost.name = name;
    cost.of_runtime = true;
    return cost;
}

template <class Barrier>
BarrierCost cost_in_family(const Description& description, const Topology& topology, const Shape& shape) {
    struct State {
        explicit State(const Shape& of)
            : lines(new typename Barrier::Line[Barrier::lines(of)]), barrier(lines.get(), of) {}
        std::unique_ptr<typename Barrier::Line[]> lines;
        Barrier barrier;
    };
    BarrierCost cost = cost_of(description, topology, shape, [&] {
        auto state = std::make_shared<State>(shape);
        return [=](unsigned number, Round round) {
            if (number != 0) return state->barrier.slave_enter(number, round);
            state->barrier.wait(round);
            state->barrier.release(round);
        };
    });
    cost.name = Barrier::kName;
    return cost;
}

} // namespace

std::vector<BarrierCost> barrier_costs(const Description& description, unsigned cores, unsigned fan_in) {
    const Topology topology(description);
    const Shape shape{cores, fan_in != 0 ? fan_in : sync::barriers::fan_in_for(description.cores_per_node)};
    std::vector<BarrierCost> costs;
    costs.push_back(cost_in_runtime(description, topology, shape, "central", meet_centrally));
    costs.push_back(cost_in_runtime(description, topology, shape, "combining", meet_in_groups));
    sync::barriers::for_each_barrier<Atomics>(
        [&]<class Barrier>() { costs.push_back(cost_in_family<Barrier>(description, topology, shape)); });
    return costs;
}

std::vector<unsigned> core_counts(const Description& description) {
    const unsigned all =
        (description.nodes - static_cast<unsigned>(description.spare.size())) * description.cores_per_node;
    std::vector<unsigned> counts;
    for (unsigned count = 2; count < all; count *= 2)
        counts.push_back(count);
    counts.push_back(all);
    return counts;
}

} // namespace teff::machine
