// SPDX-License-Identifier: Apache-2.0
//
// How many instructions a basic block stands for, by where its hook returns to: read from the code
// itself, once for each block, and kept in a table of the process.
//
// Any thread reads and fills the table, without a lock: a word per block has the low 48 bits of the
// address and the weight, so a reader sees both or neither, and two threads that come to a block at
// once enter the same. Relaxed: the words publish nothing else. A block whose places are taken is
// decoded anew each time. A weight is at least 1: an address of 0, of no block, has none.
#pragma once

#include <atomic>
#include <cstdint>

namespace teff::instructions {

inline constexpr unsigned kWeightBits = 16, kBlockBits = 16;
inline constexpr std::uint64_t kMostWeight = (1u << kWeightBits) - 1;

[[gnu::visibility("hidden")]] extern constinit std::atomic<std::uint64_t> blocks[1u << kBlockBits];

// A program of less than 64 KiB has a place for each of its blocks.
inline std::uint64_t block_place(std::uintptr_t address) { return address % (1u << kBlockBits); }

std::uint64_t weight_of(std::uintptr_t address);

} // namespace teff::instructions
