// SPDX-License-Identifier: Apache-2.0
// Runnable: the part of a task that the scheduler knows. It is enough to queue the task, and says
// nothing about what the task does.
#pragma once

#include <cstdint>
#include <utility>

namespace teff::sched {

// The NUMA node of a task's data: 1 + the node's index in mem::near_nodes.
using Home = std::uint8_t;
inline constexpr Home kNoHome = 0; // the node is not known, or any node will do

// The order of tasks of one priority: the task with the lowest place goes first. A task created by
// a task with a priority gets its creator's place, so it goes before tasks that came after its
// creator. All other tasks get the next place when they are queued (WorkStealing).
using Place = std::uint64_t;
inline constexpr Place kNoPlace = 0;              // the task has no place yet
inline constexpr Place kLast = ~std::uint64_t{0}; // behind all queued tasks

struct Runnable {
    // The link in a SharedQueue, under its lock. On the way to and from a PriorityQueue it holds
    // the task's place (place_of).
    Runnable* next = nullptr;
    // The task's priority: 0 to max-task-priority-var. While a task is on its way to a queue, a
    // value below 0 means that the task has a home and no priority. In this way the default
    // policy's short paths test for a home and for a priority at once.
    std::int32_t priority = 0;
};

// The place of a task with a priority, on its way to or from a PriorityQueue.
inline Place place_of(const Runnable& item) { return reinterpret_cast<Place>(item.next); }
inline void set_place(Runnable& item, Place place) { item.next = reinterpret_cast<Runnable*>(place); }

constexpr Home home_on(unsigned node) { return static_cast<Home>(node + 1); }

// Returns the value of Runnable::priority that stands for this home while a task is on its way to a
// queue.
constexpr std::int32_t way_home(Home home) { return -std::int32_t{home}; }

// Removes the home from a task that is about to be queued, and returns the home, or kNoHome if the
// task has none. A task that had a home counts as a task without a priority from then on.
inline Home take_home_off(Runnable& item) {
    return item.priority < 0 ? static_cast<Home>(-std::exchange(item.priority, 0)) : kNoHome;
}

} // namespace teff::sched
