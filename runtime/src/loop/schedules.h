// SPDX-License-Identifier: Apache-2.0
//
// The schedules that need only arithmetic: static, dynamic (monotonic) and guided. The stealing
// schedule has a separate protocol (stealing_schedule.h).
//
// The members share `next`. All orders are relaxed, because no data passes between members except
// the number taken. The loop itself was published with its WorkShare ([share-2] in work_share.h).
#pragma once

#include <atomic>

#include "loop/iterations.h"

namespace teff::loop {

// Static: the numbers alone determine which member runs which iterations. The assignment must agree
// with the code that compilers emit inline for schedule(static), because a program may rely on two
// loops being divided alike.

// Returns the member's block if no chunk size is given. Each member has one block. The blocks are
// of almost equal size: the first ones are longer by one iteration.
inline Span static_block(std::uint64_t count, unsigned members, unsigned member) {
    if (members == 1) return {0, count}; // saves the divisions
    const std::uint64_t size = count / members, longer = count % members;
    const std::uint64_t first = member < longer ? member * (size + 1) : member * size + longer;
    return {first, first + size + (member < longer ? 1 : 0)};
}

// Returns the member's chunk number `trip` (from 0) if a chunk size is given: the members get
// chunks in turn. Returns an empty span if there is no such chunk.
inline Span static_chunk(std::uint64_t count, std::uint64_t chunk, unsigned members, unsigned member,
                         std::uint64_t trip) {
    const std::uint64_t round = trip * members + member;
    if (count == 0 || round > (count - 1) / chunk) return {};
    const std::uint64_t first = round * chunk;
    return {first, count - first > chunk ? first + chunk : count};
}

// Gets the member's next block or chunk. `chunk` is 0 if no chunk size is given. Returns false if
// the member has had all of its chunks.
inline bool static_take(std::uint64_t count, std::uint64_t chunk, unsigned members, unsigned member,
                        std::uint64_t& trip, Span& span) {
    if (chunk != 0) span = static_chunk(count, chunk, members, member, trip);
    else span = trip == 0 ? static_block(count, members, member) : Span{};
    ++trip;
    return span.first != span.last;
}

// Dynamic: chunks of equal size, handed out in order from one shared counter. The counter counts
// chunks, not iterations: it would overflow only after 2^64 calls.

inline std::uint64_t count_chunks(std::uint64_t count, std::uint64_t chunk) {
    return count == 0 ? 0 : (count - 1) / chunk + 1;
}

// Returns the iterations of chunk `number`, which must exist.
inline Span chunk_span(std::uint64_t count, std::uint64_t chunk, std::uint64_t number) {
    const std::uint64_t first = number * chunk;
    return {first, count - first > chunk ? first + chunk : count};
}

// HOT chunk_monotonic: one read-modify-write.
inline bool dynamic_take(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t chunk,
                         std::uint64_t chunks, Span& span) {
    const std::uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
    if (number >= chunks) return false;
    span = chunk_span(count, chunk, number);
    return true;
}

// As dynamic_take, for a member that is alone and needs no read-modify-write.
inline bool dynamic_take_alone(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t chunk,
                               std::uint64_t chunks, Span& span) {
    const std::uint64_t number = next.load(std::memory_order_relaxed);
    if (number == chunks) return false;
    next.store(number + 1, std::memory_order_relaxed);
    span = chunk_span(count, chunk, number);
    return true;
}

// Guided: the size of each chunk is the number of remaining iterations divided by the number of
// members, but at least the chunk size. `next` is the number of the first iteration that is not
// handed out.

inline std::uint64_t guided_size(std::uint64_t remaining, std::uint64_t chunk, unsigned members) {
    const std::uint64_t share = (remaining - 1) / members + 1;
    const std::uint64_t size = share < chunk ? chunk : share;
    return size < remaining ? size : remaining;
}

// The same in multiples of the chunk size.
inline std::uint64_t guided_size_whole(std::uint64_t remaining, std::uint64_t chunk, unsigned members) {
    const std::uint64_t chunks = (guided_size(remaining, chunk, members) - 1) / chunk + 1;
    return chunks <= remaining / chunk ? chunks * chunk : remaining;
}

template <auto Size = guided_size>
inline bool guided_take(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t chunk, unsigned members,
                        Span& span) {
    std::uint64_t first = next.load(std::memory_order_relaxed), last;
    do {
        if (first == count) return false;
        last = first + Size(count - first, chunk, members);
    } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
    span = {first, last};
    return true;
}

} // namespace teff::loop
