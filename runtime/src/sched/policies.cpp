// SPDX-License-Identifier: Apache-2.0
#include "sched/policies.h"

#include <cstdlib>
#include <new>

#include "icv/icv.h"
#include "sched/central_queue.h"
#include "sched/locality.h"
#include "sched/round_robin.h"

// Called if a pure virtual function is called while its object is constructed, which never happens.
// The function is normally in libstdc++.
extern "C" [[gnu::visibility("hidden"), noreturn]] void __cxa_pure_virtual() { __builtin_trap(); }

namespace teff::sched {

namespace {

bool choose_work_stealing(Scheduler&, std::uint32_t) { return true; } // every Scheduler has it

bool choose_central_queue(Scheduler& scheduler, std::uint32_t limit) {
    void* const memory = std::malloc(sizeof(CentralQueueOver<base::RealAtomics>));
    if (memory == nullptr) return false;
    PriorityQueue* const queue = PriorityQueue::try_make(limit);
    if (queue == nullptr) return std::free(memory), false;
    scheduler.choose(::new (memory) CentralQueueOver<base::RealAtomics>(queue));
    return true;
}

bool choose_round_robin(Scheduler& scheduler, std::uint32_t) {
    void* const memory = std::malloc(sizeof(RoundRobin));
    if (memory == nullptr) return false;
    scheduler.choose(::new (memory) RoundRobin(scheduler));
    return true;
}

// With one node this keeps the default policy, because no node is nearer than another.
bool choose_locality(Scheduler& scheduler, std::uint32_t limit) {
    const mem::NearNodes& nodes = mem::near_nodes();
    if (nodes.count < 2) return true;
    void* const memory = std::aligned_alloc(alignof(NodeQueues), sizeof(NodeQueues));
    if (memory == nullptr) return false;
    scheduler.choose(::new (memory)
                         NodeQueues(scheduler, nodes, [](const Lane&) { return mem::node_of_caller(); }, limit));
    return true;
}

struct Entry {
    std::string_view name;
    bool (*choose)(Scheduler& scheduler, std::uint32_t limit);
};

constexpr Entry kPolicies[] = {
    {"work_stealing", choose_work_stealing},
    {"central", choose_central_queue},
    {"locality", choose_locality},
    {"round_robin", choose_round_robin},
};

constexpr bool names_agree() {
    bool agree = std::size(kPolicies) == std::size(icv::kSchedulePolicies);
    for (std::size_t i = 0; agree && i < std::size(kPolicies); ++i)
        agree = kPolicies[i].name == icv::kSchedulePolicies[i];
    return agree;
}
static_assert(names_agree(), "icv::kSchedulePolicies has the same names in the same order");

} // namespace

bool choose_policy(Scheduler& scheduler, unsigned number, std::uint32_t limit) {
    return kPolicies[number].choose(scheduler, limit);
}

} // namespace teff::sched
