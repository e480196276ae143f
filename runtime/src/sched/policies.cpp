// SPDX-License-Identifier: Apache-2.0
#include "sched/policy.h"

#include <cstdlib>
#include <new>

#include "icv/icv.h"
#include "sched/central_queue.h"

// Called where an object of a class with pure virtual functions is used while it is made: never.
// Normally in libstdc++.
extern "C" [[gnu::visibility("hidden"), noreturn]] void __cxa_pure_virtual() { __builtin_trap(); }

namespace teff::sched {

namespace {

Policy* make_central_queue(std::uint32_t limit) {
    void* const memory = std::malloc(sizeof(CentralQueueOver<base::RealAtomics>));
    if (memory == nullptr) return nullptr;
    PriorityQueue* const queue = PriorityQueue::try_make(limit);
    if (queue == nullptr) return std::free(memory), nullptr;
    return ::new (memory) CentralQueueOver<base::RealAtomics>(queue);
}

struct Entry {
    std::string_view name;
    Policy* (*make)(std::uint32_t limit); // null: the default, which every Scheduler has
};

constexpr Entry kPolicies[] = {
    {"work_stealing", nullptr},
    {"central", make_central_queue},
};

constexpr bool names_agree() {
    bool agree = std::size(kPolicies) == std::size(icv::kSchedulePolicies);
    for (std::size_t i = 0; agree && i < std::size(kPolicies); ++i)
        agree = kPolicies[i].name == icv::kSchedulePolicies[i];
    return agree;
}
static_assert(names_agree(), "icv::kSchedulePolicies has the same names in the same order");

} // namespace

Policy* make_policy(unsigned number, std::uint32_t limit) {
    const auto make = kPolicies[number].make;
    return make == nullptr ? nullptr : make(limit);
}

} // namespace teff::sched
