// SPDX-License-Identifier: Apache-2.0
//
// Replaces mem/process_near_nodes.cpp and task/homes.cpp: pretends that the machine has four nodes.
// Each thread is on one of the nodes, and moves to another node now and then. Nearly every task has
// a home. The home does not follow from a footprint. It is a pseudo-random number that is computed
// from the task's id.
#include <memory>
#include <pthread.h>

#include "mem/near_nodes.h"
#include "task/homes.h"

namespace teff {

namespace {

constexpr unsigned kNodes = 4;

// In a row: 16 to a neighbour, 22 and 28 beyond.
void lay_out(mem::NearNodes& near) {
    static constinit topo::NumaNodes machine;
    mem::Nodes usable;
    usable.count = 0;
    machine.count = kNodes;
    for (unsigned from = 0; from < kNodes; ++from) {
        usable.add(machine.number[from] = static_cast<std::uint16_t>(from));
        for (unsigned to = 0; to < kNodes; ++to)
            machine.distance[from][to] = static_cast<std::uint8_t>(10 + 6 * (from < to ? to - from : from - to));
    }
    arrange(machine, usable, near);
}

unsigned drawn(std::uint64_t number, unsigned below) {
    return static_cast<unsigned>((number * 0x9e3779b97f4a7c15u >> 32) * below >> 32);
}

} // namespace

const mem::NearNodes& mem::near_nodes() {
    static constinit NearNodes found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { lay_out(found); });
    return found;
}

unsigned mem::node_of_caller() {
    constexpr unsigned kStays = 512; // calls
    static constinit thread_local unsigned calls [[gnu::tls_model("initial-exec")]] = 0;
    return drawn(reinterpret_cast<std::uintptr_t>(&calls) / 64 + ++calls / kStays, kNodes);
}

namespace task {

void tell_footprint(team::Worker&, const void*, std::size_t) {}

bool is_footprint_told(const team::Worker&) { return true; }

sched::Home home_of(team::Worker&, const Task& task, const TaskClauses&) {
    return static_cast<sched::Home>(drawn(task.id, kNodes + 1));
}

} // namespace task

} // namespace teff
