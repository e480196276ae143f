// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/chunk_seal.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "probe/trace/digest.h"
#include "probe/trace/record_sizes.h"
#include "teff_trace.h"

namespace teff::probe::trace {

namespace {

constexpr std::size_t kBegin = offsetof(teff_chunk_header, sealed_bytes);
constexpr std::size_t kEnd = offsetof(teff_chunk_header, sizes);
static_assert(kBegin % 16 == 0 && kEnd == kBegin + 16, "the fields for the checksum are words 6 and 7");

// Four sums, as one alone would wait for each multiplication.
struct Checksums {
    std::uint64_t of[4] = {1, 2, 3, 4};

    void add(const char* at, std::size_t words) {
        for (std::size_t i = 0; i < words; ++i) {
            std::uint64_t word;
            std::memcpy(&word, at + i * sizeof word, sizeof word);
            of[i % 4] = checksum_step(of[i % 4], word);
        }
    }
    std::uint64_t whole(std::uint64_t bytes) const {
        std::uint64_t sum = bytes;
        for (const std::uint64_t each : of)
            sum = checksum_step(sum, each);
        return sum;
    }
};

std::uint64_t head_at(char* at) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(at))
        .load(std::memory_order_acquire); // [trace-1]
}

std::uint32_t word_at(const char* at) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

std::size_t record_bytes(unsigned type, const char* at) {
    const bool has_tail = (kRecordSizes.of[type] & TEFF_SIZE_HAS_TAIL) != 0;
    const std::size_t tail = has_tail ? word_at(at + 12) : 0;
    return kRecordSizes.fixed_bytes(static_cast<teff_record_type>(type)) + (tail + 15) / 16 * 16;
}

bool may_be_under_way(std::uint64_t head, const char* at) {
    const unsigned type = head & 0xff;
    if ((head >> 8 & TEFF_TASK_IMPLICIT) != 0) return false;
    if (type == TEFF_REC_CREATE) return word_at(at + offsetof(teff_rec_create, cost_ticks)) == 0;
    if (type == TEFF_REC_SHORT_TASK) return word_at(at + offsetof(teff_rec_short_task, cost_ticks)) == 0;
    return type == TEFF_REC_SHORT_CREATE && word_at(at + offsetof(teff_rec_short_create, cost_ticks)) == 0;
}

// The body of its task may be under way, and end without a further record.
bool is_open_if_last(std::uint64_t head, const char* at) {
    return (head & 0xff) == TEFF_REC_SHORT_TASK && word_at(at + offsetof(teff_rec_short_task, ran)) == 0;
}

struct Reach {
    std::size_t records; // where the last record ends
    std::size_t settled; // nothing before this is stored into any more
};

Reach reach_of(char* chunk) {
    std::size_t at = sizeof(teff_chunk_header), open = TEFF_TRACE_CHUNK_BYTES;
    bool is_last_open = false;
    while (at + TEFF_SIZE_UNIT <= TEFF_TRACE_CHUNK_BYTES) {
        const std::uint64_t head = head_at(chunk + at);
        const std::size_t bytes = record_bytes(head & 0xff, chunk + at);
        if (bytes == 0 || bytes > TEFF_TRACE_CHUNK_BYTES - at) break;
        if (may_be_under_way(head, chunk + at)) open = at;
        is_last_open = is_open_if_last(head, chunk + at);
        at += bytes;
    }
    if (is_last_open) open = std::min(open, at - sizeof(teff_rec_short_task));
    return {at, std::min(open, at)};
}

// A reader that finds `sealed_bytes` finds the checksum.
void seal(char* chunk, std::size_t bytes) {
    auto* const header = reinterpret_cast<teff_chunk_header*>(chunk);
    header->checksum = chunk_checksum(chunk, bytes);
    std::atomic_ref<std::uint64_t>(header->sealed_bytes).store(bytes, std::memory_order_release); // [trace-1]
}

} // namespace

std::uint64_t chunk_checksum(const char* chunk, std::size_t bytes) {
    Checksums sums;
    sums.add(chunk, kBegin / 8);
    sums.of[2] = checksum_step(sums.of[2], 0); // in place of the fields for the checksum
    sums.of[3] = checksum_step(sums.of[3], 0);
    sums.add(chunk + kEnd, (bytes - kEnd) / 8);
    return sums.whole(bytes);
}

void seal_left_chunk(char* chunk) {
    const auto* const header = reinterpret_cast<const teff_chunk_header*>(chunk);
    if (header->magic == TEFF_TRACE_MAGIC && header->sealed_bytes == 0) seal(chunk, TEFF_TRACE_CHUNK_BYTES);
}

std::size_t seal_last_chunk(char* chunk) {
    if (head_at(chunk) != TEFF_TRACE_MAGIC) return 0;
    const Reach reach = reach_of(chunk);
    seal(chunk, reach.settled);
    return reach.records;
}

} // namespace teff::probe::trace
