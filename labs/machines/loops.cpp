// SPDX-License-Identifier: Apache-2.0
#include "machines/loops.h"

#include <functional>
#include <memory>

#include "loop/affinity_schedule.h"
#include "loop/stealing_schedule.h"
#include "machine/atomics.h"
#include "machine/placed.h"
#include "machine/team.h"

namespace teff::machine {

namespace {

using loop::Span;
using Affinity = loop::AffinityScheduleOver<Atomics>;
using Stealing = loop::StealingScheduleOver<Atomics>;
using Next = std::function<bool(unsigned member, Span& span)>; // as loop::next

class Machine {
  public:
    Machine(const Description& description, const LoopSpec& spec)
        : description_(description), topology_(description), spec_(spec), cores_(cores_of(description)) {}

    unsigned members() const { return static_cast<unsigned>(cores_.size()); }
    unsigned steps(unsigned from, unsigned to) const { return topology_.hops(node_of(from), node_of(to)); }

    LoopCost run(const char* schedule, const Next& next) const {
        std::vector<std::function<void()>> parts(std::size_t{description_.nodes} * description_.cores_per_node);
        std::uint64_t local = 0;
        for (unsigned member = 0; member < members(); ++member)
            parts[cores_[member]] = [&, member] {
                for (Span span; next(member, span);)
                    for (std::uint64_t i = span.first; i < span.last; ++i)
                        local += iterate(i, node_of(member));
            };
        Simulation simulation(description_, topology_);
        const bool complete = simulation.run(parts);
        return {.schedule = schedule,
                .cycles = complete ? static_cast<double>(simulation.end()) / kCycle : 0,
                .local = static_cast<double>(local) / static_cast<double>(spec_.count)};
    }

  private:
    unsigned node_of(unsigned member) const { return cores_[member] / description_.cores_per_node; }
    unsigned owner_of(std::uint64_t i) const {
        unsigned owner = 0;
        while (loop::static_block(spec_.count, members(), owner).last <= i)
            ++owner;
        return owner;
    }

    // Returns true if the iteration ran on the node of its data.
    bool iterate(std::uint64_t i, unsigned here) const {
        Simulation& machine = *Simulation::active();
        const unsigned home = node_of(owner_of(i));
        const Chunk block{i, kChunkBytes, {{home, static_cast<std::uint32_t>(kChunkBytes / base::kCacheLine)}}};
        const double factor = i < spec_.count / 2 ? spec_.slower : 1;
        machine.fetch(block, Access::read);
        machine.pass(static_cast<Time>(spec_.operations * factor * static_cast<double>(description_.operation)));
        machine.fetch(block, Access::write);
        return home == here;
    }

    const Description& description_;
    Topology topology_;
    LoopSpec spec_;
    std::vector<std::uint32_t> cores_;
};

LoopCost with_static(const Machine& machine, const LoopSpec& spec) {
    std::vector<std::uint64_t> trips(machine.members());
    return machine.run("static", [&](unsigned member, Span& span) {
        return loop::static_take(spec.count, 0, machine.members(), member, trips[member], span);
    });
}

LoopCost with_stealing(const Machine& machine, const LoopSpec& spec) {
    const auto batches = std::make_unique<Stealing::Batch[]>(machine.members());
    Stealing::Counter next{0};
    Stealing schedule(next, batches.get(), spec.count, machine.members());
    return machine.run("stealing", [&](unsigned member, Span& span) {
        std::uint64_t chunk;
        if (!schedule.take(member, chunk)) return false;
        span = {chunk, chunk + 1};
        return true;
    });
}

LoopCost with_affinity(const Machine& machine, const LoopSpec& spec, bool guided) {
    const auto shares = std::make_unique<Affinity::Batch[]>(machine.members());
    Affinity::Counter next{0};
    const Affinity schedule(next, shares.get(), {spec.count, 1, machine.members(), guided});
    schedule.divide();
    std::vector<char> had_last(machine.members());
    return machine.run(guided ? "affinity, guided" : "affinity", [&](unsigned member, Span& span) {
        loop::Chunks taken;
        const auto steps = [&](unsigned other) { return machine.steps(member, other); };
        if (had_last[member] != 0 || !schedule.take(member, steps, taken)) return false;
        had_last[member] = schedule.has_last(taken);
        span = schedule.span_of(taken);
        return true;
    });
}

} // namespace

std::vector<LoopCost> loop_costs(const Description& description, const LoopSpec& spec) {
    const Machine machine(description, spec);
    return {with_static(machine, spec), with_stealing(machine, spec), with_affinity(machine, spec, false),
            with_affinity(machine, spec, true)};
}

} // namespace teff::machine
