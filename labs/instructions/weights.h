// SPDX-License-Identifier: Apache-2.0
//
// Maps the return address of a basic block's hook to the number of instructions in the block. The
// number is read from the code, once for each block, and kept in a table of the process.
//
// Any thread reads and fills the table, without a lock. One word per block has the low 48 bits of
// the address and the weight. So a reader sees both or neither, and two threads that enter the same
// block at once write the same word. The accesses are relaxed, because the words publish no other
// data. If all table entries that a block may use are taken, the block is decoded again each time.
// A weight is at least 1, so an empty word (0) is never taken for a block.
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
