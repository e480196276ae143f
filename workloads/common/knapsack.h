// SPDX-License-Identifier: Apache-2.0
// A knapsack problem, its bound and its serial solution, for branch-and-bound programs.
#ifndef WORKLOAD_KNAPSACK_H
#define WORKLOAD_KNAPSACK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hash.h"

struct Item {
    long weight, value;
};

struct Knapsack {
    std::vector<Item> items; // by falling value per weight
    long capacity = 0;

    Knapsack() = default;

    // Values that follow the weights closely make the bound weak and the search long.
    explicit Knapsack(long item_count) {
        long weights = 0;
        for (long i = 0; i < item_count; ++i) {
            const auto index = static_cast<std::uint64_t>(i);
            const long weight = 100 + static_cast<long>(hash_mix(index) % 900);
            items.push_back({weight, weight + 100 + static_cast<long>(hash_mix(index + 5000) % 5)});
            weights += weight;
        }
        capacity = weights / 2;
        std::sort(items.begin(), items.end(),
                  [](const Item& a, const Item& b) { return a.value * b.weight > b.value * a.weight; });
    }

    // What a choice worth `value` could become if the first item that does not fit could be cut.
    long upper_bound(std::size_t next, long room, long value) const {
        for (; next < items.size(); ++next) {
            const Item& item = items[next];
            if (item.weight > room) return value + item.value * room / item.weight;
            room -= item.weight;
            value += item.value;
        }
        return value;
    }

    // Dynamic programming over the capacity.
    long solve_serially() const {
        std::vector<long> best(static_cast<std::size_t>(capacity) + 1, 0);
        for (const Item& item : items)
            for (long room = capacity; room >= item.weight; --room) {
                const auto index = static_cast<std::size_t>(room);
                best[index] = std::max(best[index], best[index - static_cast<std::size_t>(item.weight)] + item.value);
            }
        return best.back();
    }
};

#endif
