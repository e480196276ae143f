// SPDX-License-Identifier: Apache-2.0
// For tests: simulated members that take their chunks in a pseudo-random order.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "loop/iterations.h"

namespace teff::loop {

using Spans = std::vector<Span>;
using Take = std::function<bool(unsigned member, Span& span)>;

// Lets the members take spans until `take` has returned false for each member. Returns the spans of
// each member.
inline std::vector<Spans> run(unsigned members, const Take& take, unsigned seed) {
    std::vector<Spans> taken(members);
    std::vector<unsigned> active(members);
    for (unsigned i = 0; i < members; ++i)
        active[i] = i;
    while (!active.empty()) {
        seed = seed * 1664525u + 1013904223u;
        const std::size_t at = (seed >> 16) % active.size();
        Span span;
        if (take(active[at], span)) taken[active[at]].push_back(span);
        else active.erase(active.begin() + static_cast<long>(at));
    }
    return taken;
}

// Checks that each of `count` iterations was taken exactly once.
inline void expect_each_once(std::uint64_t count, const std::vector<Spans>& taken) {
    std::vector<int> hits(count);
    for (const Spans& spans : taken)
        for (const Span& span : spans) {
            ASSERT_LT(span.first, span.last);
            ASSERT_LE(span.last, count);
            for (std::uint64_t i = span.first; i < span.last; ++i)
                ++hits[i];
        }
    for (std::uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(hits[i], 1) << "iteration " << i << " of " << count;
}

} // namespace teff::loop
