// SPDX-License-Identifier: Apache-2.0
//
// The static schedule: who runs what follows from the numbers alone. It must agree with what
// compilers emit inline for schedule(static), since a program may rely on two loops being divided
// alike.
#pragma once

#include "loop/iterations.h"

namespace teff::loop {

// No chunk size: one block of almost equal size for each member, the first ones one iteration
// longer.
inline Span static_block(std::uint64_t count, unsigned members, unsigned member) {
    if (members == 1) return {0, count}; // saves the divisions
    const std::uint64_t size = count / members, longer = count % members;
    const std::uint64_t first = member < longer ? member * (size + 1) : member * size + longer;
    return {first, first + size + (member < longer ? 1 : 0)};
}

// Chunks in turn: the member's `trip`th chunk (from 0). Empty when there is none.
inline Span static_chunk(std::uint64_t count, std::uint64_t chunk, unsigned members, unsigned member,
                         std::uint64_t trip) {
    const std::uint64_t round = trip * members + member;
    if (count == 0 || round > (count - 1) / chunk) return {};
    const std::uint64_t first = round * chunk;
    return {first, count - first > chunk ? first + chunk : count};
}

// The member's next piece; `chunk` 0 means none was given. False: it has had all.
inline bool static_take(std::uint64_t count, std::uint64_t chunk, unsigned members, unsigned member,
                        std::uint64_t& trip, Span& span) {
    if (chunk != 0) span = static_chunk(count, chunk, members, member, trip);
    else span = trip == 0 ? static_block(count, members, member) : Span{};
    ++trip;
    return span.first != span.last;
}

} // namespace teff::loop
