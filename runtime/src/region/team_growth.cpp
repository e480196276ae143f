// SPDX-License-Identifier: Apache-2.0
#include "region/team_growth.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/report.h"
#include "region/linger.h"
#include "sched/policies.h"
#include "sync/mutex.h"
#include "task/moving.h"
#include "task/task.h"
#include "team/contexts.h"
#include "team/pool.h"
#include "topo/numa_nodes.h"
#include "topo/process_places.h"
#include "topo/processors.h"

namespace teff::region {

namespace {

constexpr unsigned kStep = 64; // the least number of members by which a team without enough space grows

constinit sync::Mutex spare_lock;
team::Team* spare_teams TEFF_GUARDED_BY(spare_lock) = nullptr; // teams whose leader has ended;
                                                               // linked by Team::next_spare

template <class T> T* try_allocate() {
    void* memory = std::aligned_alloc(alignof(T), (sizeof(T) + alignof(T) - 1) / alignof(T) * alignof(T));
    return memory != nullptr ? ::new (memory) T() : nullptr;
}

team::Member* try_make_member(team::Team& team, unsigned number) {
    auto* member = try_allocate<team::Member>();
    if (member == nullptr) return nullptr;
    void* task = std::aligned_alloc(base::kCacheLine, mem::kBlockBytes[0]);
    if (task == nullptr) {
        std::free(member);
        return nullptr;
    }
    std::memset(task, 0, mem::kBlockBytes[0]);
    member->team = &team;
    member->number = number;
    member->lane.number = number;
    member->lane.victim_seed = number * 2654435761u + 1;
    member->implicit_task = static_cast<task::Task*>(task);
    if (task::contexts_move()) member->ready.look_always();
    return member;
}

// The members' arrays, in one block, which begins with the address of the block that it replaces.
struct Arrays {
    void** block;
    team::Member** members;
    sched::Lane** lanes;
    std::atomic<std::uint64_t>* bits;

    static Arrays try_allocate(unsigned capacity) {
        const std::size_t words = (std::size_t{capacity} + 63) / 64;
        void* memory = std::calloc(1 + 2 * std::size_t{capacity} + words, sizeof(void*));
        auto** block = static_cast<void**>(memory);
        if (block == nullptr) return {};
        Arrays arrays{block, reinterpret_cast<team::Member**>(block + 1),
                      reinterpret_cast<sched::Lane**>(block + 1 + capacity),
                      reinterpret_cast<std::atomic<std::uint64_t>*>(block + 1 + 2 * std::size_t{capacity})};
        for (std::size_t i = 0; i < words; ++i)
            ::new (&arrays.bits[i]) std::atomic<std::uint64_t>(0);
        return arrays;
    }
};
static_assert(sizeof(void*) == sizeof(std::atomic<std::uint64_t>));

// Takes over the existing members and makes new ones after them. Returns the resulting number of
// members.
unsigned try_fill(team::Team& team, const Arrays& arrays, unsigned capacity) {
    unsigned count = 0;
    for (; count < capacity; ++count) {
        team::Member* member = count < team.capacity ? team.members[count] : try_make_member(team, count);
        if (member == nullptr) break;
        arrays.members[count] = member;
        arrays.lanes[count] = &member->lane;
    }
    return count;
}

unsigned members_of_a_group() {
    return sync::barriers::fan_in_for(static_cast<unsigned>(topo::usable_processors()) / topo::numa_nodes().count);
}

// Allocates lines for this many members if the team's barrier needs lines. If there is no memory,
// chooses a barrier that needs none. Called between regions.
void make_groups(team::Team& team, unsigned members) {
    if (TEFF_LIKELY(icv::global().barrier == icv::kCentralBarrier)) return;
    using Groups = decltype(team.groups);
    const unsigned fan_in = members_of_a_group();
    const std::size_t lines = Groups::lines_for({members, fan_in});
    void* const memory = std::aligned_alloc(alignof(Groups::Line), lines * sizeof(Groups::Line));
    team.combines = memory != nullptr;
    if (memory == nullptr) return;
    std::memset(memory, 0, lines * sizeof(Groups::Line));
    std::free(team.groups.lines); // only members access them, and all members are outside
    team.groups = {static_cast<Groups::Line*>(memory), members, fan_in};
    reset_groups(team);
}

// Makes space for up to `capacity` members, and for at least one more than now. Returns false if
// there is no memory. No member accesses the team at this time, but a thread outside the team may
// (the last user of Team::finished_elsewhere). So the old arrays are kept. The new arrays are
// mostly twice as large as the old ones, so the old ones need little memory in all.
[[nodiscard]] bool try_enlarge(team::Team& team, unsigned capacity) {
    const Arrays arrays = Arrays::try_allocate(capacity);
    const unsigned filled = arrays.block != nullptr ? try_fill(team, arrays, capacity) : 0;
    if (filled <= team.capacity) {
        std::free(static_cast<void*>(arrays.block));
        return false;
    }
    *arrays.block = team.arrays;
    team.arrays = static_cast<void*>(arrays.block);
    team.members = arrays.members;
    team.lanes = arrays.lanes;
    team.sleeper_bits = arrays.bits;
    team.capacity = filled;
    team.ready.attach(arrays.lanes, arrays.bits, filled);
    make_groups(team, filled);
    return true;
}

// Returns false if there is no memory for the policy.
[[nodiscard]] bool choose_policy(team::Team& team) {
    const icv::GlobalIcvs& icvs = icv::global();
    return sched::choose_policy(team.ready, icvs.schedule_policy, icvs.deque_limit);
}

unsigned next_capacity(const team::Team& team, unsigned size) {
    return std::min(std::max(size, 2 * team.capacity), std::max(kStep, 2 * team.capacity));
}

// Gives workers to members up to number `size`, as far as there is space. Returns 0, or the errno
// value of a failed allocation.
[[nodiscard]] int man(const team::Worker& leader, team::Team& team, unsigned size) {
    int error = 0;
    // New threads inherit their creator's affinity mask. With places they are bound later
    // (region/binding.h).
    if (!topo::has_places()) team.processors = topo::affinity_mask().count();
    for (const unsigned end = std::min(size, team.capacity); team.staffed < end; ++team.staffed) {
        team::Member& member = *team.members[team.staffed];
        member.worker = team::take_pool_worker(leader, error);
        if (member.worker == nullptr) return error;
        member.lane.parker.store(&member.worker->parker, std::memory_order_release); // [lane-1]
    }
    return 0;
}

// Does not store if there is nothing to reset, so that the cache line may stay where it is.
void reset(std::atomic<std::uint64_t>& count) {
    if (count.load(std::memory_order_relaxed) != 0) count.store(0, std::memory_order_relaxed);
}

void warn_once(int error, unsigned got, unsigned wanted) {
    static std::atomic<bool> warned{false};
    if (warned.exchange(true, std::memory_order_relaxed)) return;
    base::warn("a thread could not be started (%s): parallel regions get fewer threads than asked for, here %u instead "
               "of %u. What limits them: ulimit -u and -v, pids.max of the control group, OMP_STACKSIZE",
               std::strerror(error), got, wanted);
}

} // namespace

team::Team& take_team(unsigned size) {
    {
        const sync::MutexGuard guard(spare_lock);
        if (team::Team* spare = spare_teams) {
            spare_teams = spare->next_spare;
            reset_counts(*spare);
            return *spare;
        }
    }
    auto* team = try_allocate<team::Team>();
    const bool made = team != nullptr && choose_policy(*team) &&
                      (try_enlarge(*team, next_capacity(*team, size)) || try_enlarge(*team, 1));
    if (!made) base::fatal(ENOMEM, "no memory for a parallel region's own record");
    return *team;
}

void keep_team(team::Team& team) {
    const sync::MutexGuard guard(spare_lock);
    team.next_spare = spare_teams;
    spare_teams = &team;
}

void forget_other_threads_teams() {
    ::new (&spare_lock) sync::Mutex;
} // the list itself is consistent, because each change is one store

void reset_counts(team::Team& team) {
    for (unsigned i = 0; i < team.capacity; ++i) {
        reset(team.members[i]->created);
        reset(team.members[i]->finished);
    }
    team.finished_elsewhere.store(0, std::memory_order_relaxed);
    team.has_tasks.store(false, std::memory_order_relaxed);
    reset_groups(team);
}

void reset_groups(team::Team& team) {
    if (!team.combines) return;
    team.groups.count(team.groups.room).forget();
    team.groups.words(team.groups.room).raise_all(team.generation.load(std::memory_order_relaxed));
}

void grow(team::Worker& leader, team::Team& team, unsigned size) {
    team::prepare_contexts_once_more();
    int error = 0;
    while (error == 0 && team.staffed < size) {
        if (team.staffed == team.capacity) {
            dismiss(leader, team); // the workers access the arrays
            if (!try_enlarge(team, next_capacity(team, size))) error = ENOMEM;
        }
        if (error == 0) error = man(leader, team, size);
    }
    if (error != 0) warn_once(error, team.staffed, size);
}

} // namespace teff::region
