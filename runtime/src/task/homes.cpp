// SPDX-License-Identifier: Apache-2.0
#include "task/homes.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

#include "icv/icv.h"
#include "mem/distributed_heap.h"
#include "mem/near_nodes.h"
#include "task/footprint.h"
#include "team/team.h"
#include "topo/caches.h"

namespace teff::task {

// The footprint of the task whose number follows `after`.
struct Footprint {
    std::uint64_t after;
    std::size_t bytes[mem::NearNodes::kMost]; // number of bytes on each node
};

namespace {

// Used if the kernel does not report the caches: the value of the thesis, 5 MiB for six processors.
constexpr std::size_t kSupposedShare_bytes = 853 << 10;

std::size_t least_footprint_bytes() {
    static std::size_t found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] {
        found = icv::global().footprint_min;
        if (found == 0) found = topo::cache_share_bytes("");
        if (found == 0) found = kSupposedShare_bytes;
    });
    return found;
}

bool is_told_after(const team::Worker& worker, std::uint64_t number) {
    return worker.footprint != nullptr && worker.footprint->after == number;
}

// Begins a footprint. Requires that none has been given for the next task yet. Returns null if no
// memory is available.
Footprint* begin_footprint(team::Worker& worker) {
    if (worker.footprint == nullptr) worker.footprint = static_cast<Footprint*>(std::malloc(sizeof(Footprint)));
    if (worker.footprint == nullptr) return nullptr;
    return ::new (worker.footprint) Footprint{.after = worker.task_ids.last(), .bytes = {}};
}

} // namespace

void tell_footprint(team::Worker& worker, const void* address, std::size_t bytes) {
    if (!worker.member->team->ready.knows_homes() || address == nullptr || bytes == 0) return;
    Footprint* const footprint = is_footprint_told(worker) ? worker.footprint : begin_footprint(worker);
    if (footprint == nullptr) return;
    (void)mem::process_heap().add_bytes_per_node(address, bytes, {footprint->bytes, mem::near_nodes().count});
}

bool is_footprint_told(const team::Worker& worker) { return is_told_after(worker, worker.task_ids.last()); }

[[gnu::noinline]] static sched::Home home_of_told(const Footprint& footprint) {
    const mem::NearNodes& nodes = mem::near_nodes();
    return cheapest_home({footprint.bytes, nodes.count}, nodes, least_footprint_bytes());
}

[[gnu::noinline]] static sched::Home home_of_guessed(const DependItems& depend) {
    const mem::NearNodes& nodes = mem::near_nodes();
    std::size_t sums[mem::NearNodes::kMost] = {};
    add_depend_bytes(mem::process_heap(), depend, {sums, nodes.count});
    return cheapest_home({sums, nodes.count}, nodes, least_footprint_bytes());
}

unsigned member_of_middle(const TaskloopPart& part, unsigned members) {
    const std::uint64_t middle = part.first_iteration + part.iterations / 2;
    return static_cast<unsigned>(static_cast<unsigned __int128>(middle) * members / part.all);
}

[[gnu::noinline]] static sched::Home home_of_part(const team::Worker& worker, const TaskloopPart& part) {
    const team::Team& team = *worker.member->team;
    const bool implicit = (worker.task->flags & kImplicit) != 0;
    if (!implicit || part.all / part.iterations > kMostPartsPerMember * team.size) return sched::kNoHome;
    return team.members[member_of_middle(part, team.size)]->node.load(std::memory_order_relaxed);
}

sched::Home home_of(team::Worker& worker, const Task& task, const TaskClauses& clauses) {
    if (TEFF_UNLIKELY(is_told_after(worker, task.id - 1))) return home_of_told(*worker.footprint);
    if (clauses.depend.given() && mem::process_heap().was_used()) return home_of_guessed(clauses.depend);
    if (clauses.part != nullptr) return home_of_part(worker, *clauses.part);
    return sched::kNoHome;
}

} // namespace teff::task
