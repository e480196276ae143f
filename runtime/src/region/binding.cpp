// SPDX-License-Identifier: Apache-2.0
#include "region/binding.h"

#include <algorithm>

#include "mem/near_nodes.h"
#include "topo/process_places.h"

namespace teff::region {

namespace {

void (*display_affinity)() = nullptr;

// Distributes `items` over `groups` in order, in runs of lengths that are as equal as possible; the
// first runs are the longer ones.
struct Runs {
    unsigned length, longer; // each run has `length` items, the first `longer` runs have one more

    Runs(unsigned items, unsigned groups) : length(items / groups), longer(items % groups) {}

    unsigned first_of(unsigned group) const { return group * length + std::min(group, longer); }
    unsigned length_of(unsigned group) const { return length + (group < longer ? 1 : 0); }
    unsigned group_of(unsigned item) const {
        const unsigned in_longer = longer * (length + 1);
        return item < in_longer ? item / (length + 1) : longer + (item - in_longer) / length;
    }
};

// close: the leader keeps its place, and the next members get the next places, wrapping around at
// the end of the partition. If there are more members than places, several members share a place.
unsigned close_place(unsigned size, unsigned number, const team::Binding& leader) {
    const unsigned places = leader.partition_size;
    const unsigned steps = size <= places ? number : Runs(size, places).group_of(number);
    return leader.partition_first + (leader.place - leader.partition_first + steps) % places;
}

// spread: divides the partition. Each member gets a part of its own, or a single place if there are
// not enough places.
team::Binding spread_place(unsigned size, unsigned number, const team::Binding& leader) {
    if (size > leader.partition_size) {
        const unsigned place = close_place(size, number, leader);
        return {.place = place, .partition_first = place, .partition_size = 1};
    }
    const Runs parts(leader.partition_size, size);
    const unsigned part = (parts.group_of(leader.place - leader.partition_first) + number) % size;
    const unsigned first = leader.partition_first + parts.first_of(part);
    return {
        .place = number == 0 ? leader.place : first,
        .partition_first = first,
        .partition_size = parts.length_of(part),
    };
}

// The binding of an initial task: the first place, or the place to which the thread is already
// bound, with all places as its partition.
team::Binding initial_place(const team::Worker& worker) {
    return {
        .place = worker.bound_place == team::kUnbound ? 0 : worker.bound_place,
        .partition_first = 0,
        .partition_size = static_cast<unsigned>(topo::places().size()),
    };
}

void bind_to_own_place(team::Worker& worker, team::Member& member) {
    const team::Team& team = *member.team;
    const team::Arrangement& all = team.arrangement;
    member.binding = team.leader_place == nullptr ? initial_place(worker)
                                                  : assign_place(all.policy, all.size, member.number, all.leader);
    if (worker.bound_place != member.binding.place) {
        worker.bound_place = member.binding.place;
        topo::bind_this_thread(member.binding.place);
    }
    if (team.ready.knows_homes()) member.node.store(sched::home_on(mem::node_of_caller()), std::memory_order_relaxed);
}

} // namespace

bool crowds_places(const team::Arrangement& all, std::span<const topo::ProcessorSet> places) {
    if (places.empty()) return false;
    if (all.policy == icv::ProcBind::primary || all.policy == icv::ProcBind::false_)
        return places[all.leader.place].count() < all.size;
    const unsigned members = (all.size + all.leader.partition_size - 1) / all.leader.partition_size;
    const auto partition = places.subspan(all.leader.partition_first, all.leader.partition_size);
    return std::ranges::any_of(partition, [&](const auto& place) { return place.count() < members; });
}

constinit bool detail::binds_or_displays = false;

team::Binding assign_place(icv::ProcBind policy, unsigned size, unsigned number, const team::Binding& leader) {
    switch (policy) {
    case icv::ProcBind::spread:
        return spread_place(size, number, leader);
    case icv::ProcBind::close:
    case icv::ProcBind::true_:
        return {close_place(size, number, leader), leader.partition_first, leader.partition_size};
    case icv::ProcBind::primary:
    case icv::ProcBind::false_:
        break;
    }
    return leader;
}

void initialise_binding(void (*display)()) {
    display_affinity = display;
    detail::binds_or_displays = topo::has_places() || icv::global().display_affinity;
}

void detail::arrange(team::Team& team, icv::ProcBind policy) {
    const team::Arrangement next = {.policy = policy, .size = team.size, .leader = team.leader_place->binding};
    const bool worth_showing = team.size > 1 || team.level == 1; // a nested region of one thread
                                                                 // has its leader's place
    team.displays_affinity = icv::global().display_affinity && worth_showing && next != team.arrangement;
    if (next != team.arrangement) team.crowds_places = crowds_places(next, topo::places());
    team.arrangement = next;
}

void detail::bind_and_display(team::Worker& worker, team::Member& member) {
    if (topo::has_places()) bind_to_own_place(worker, member);
    const bool in_region = member.team->leader_place != nullptr;
    if (in_region && member.team->displays_affinity) display_affinity();
}

} // namespace teff::region
