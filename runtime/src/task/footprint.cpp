// SPDX-License-Identifier: Apache-2.0
#include "task/footprint.h"

#include <algorithm>

namespace teff::task {

sched::Home cheapest_home(std::span<const std::size_t> bytes, const mem::NearNodes& nodes, std::size_t least) {
    // The bytes are spread evenly if the difference between the fullest and the emptiest node is
    // less than a quarter of a node's average. Page granularity alone makes some difference.
    constexpr std::size_t kPart = 4;
    std::size_t sum = 0;
    for (const std::size_t here : bytes)
        sum += here;
    const auto [emptiest, fullest] = std::minmax_element(bytes.begin(), bytes.end());
    if (sum < least || (*fullest - *emptiest) * kPart * bytes.size() <= sum) return sched::kNoHome;
    std::uint64_t lowest = ~std::uint64_t{0};
    unsigned cheapest = 0;
    for (unsigned node = 0; node < bytes.size(); ++node) {
        std::uint64_t cost = 0;
        for (unsigned other = 0; other < bytes.size(); ++other)
            cost += std::uint64_t{bytes[other]} * nodes.distance[node][other];
        if (cost >= lowest) continue;
        lowest = cost;
        cheapest = node;
    }
    return sched::home_on(cheapest);
}

} // namespace teff::task
