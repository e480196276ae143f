// SPDX-License-Identifier: Apache-2.0
//
// Digests of words and bytes, by which objects, places and paths are distinguished. A program has a
// few hundred of these. The digests do not resist inputs that are chosen to collide. Computing a
// digest calls nothing outside this file and takes no lock.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace teff::probe::trace {

inline std::uint64_t mix(std::uint64_t digest, std::uint64_t word) {
    const std::uint64_t product = (digest ^ word) * 0x9e3779b97f4a7c15ull;
    return product ^ product >> 29;
}

// Fills up the last word with zeros, which texts do not contain.
inline std::uint64_t mix_bytes(std::uint64_t digest, const void* bytes, std::size_t count) {
    for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, static_cast<const char*>(bytes) + at, std::min(count - at, sizeof word));
        digest = mix(digest, word);
    }
    return digest;
}

// One step of a recording's checksums, which docs/formats/trace.md defines. It can be reversed: a
// change of one word always changes the sum.
inline std::uint64_t checksum_step(std::uint64_t sum, std::uint64_t word) {
    return std::rotl(sum ^ word, 29) * 0x9e3779b97f4a7c15ull;
}

} // namespace teff::probe::trace
