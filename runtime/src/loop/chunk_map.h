// SPDX-License-Identifier: Apache-2.0
//
// ChunkMap: the chunks of a loop under a schedule that hands out chunks in order. From the map, any
// thread can find the chunk of an iteration, no matter which member ran or will run the chunk.
// Chunks are numbered in the order of the iterations.
//
// Static blocks and chunks of equal size are computed directly. The sizes of guided chunks depend
// only on the number of iterations left, so their sequence can be computed beforehand. The sequence
// is short: about members * ln(iterations / members).
#pragma once

#include <algorithm>

#include "loop/schedules.h"
#include "loop/work_share.h"

namespace teff::loop {

inline std::uint64_t count_guided_chunks(std::uint64_t count, std::uint64_t chunk, unsigned members) {
    std::uint64_t chunks = 0;
    for (std::uint64_t first = 0; first < count; ++chunks)
        first += guided_size(count - first, chunk, members);
    return chunks;
}

class ChunkMap {
  public:
    // Requires a construct whose schedule is set and that has at least one iteration.
    explicit ChunkMap(const WorkShare& share)
        : count_(share.iterations.count), size_(share.chunk), members_(share.members),
          guided_(share.schedule == Schedule::guided) {
        if (guided_) chunks_ = count_guided_chunks(count_, size_, members_);
        else if (in_blocks()) chunks_ = members_;
        else chunks_ = count_chunks(count_, size_);
    }

    // Returns the number of chunks.
    std::uint64_t chunks() const { return chunks_; }

    // Returns the number of table entries that `fill` writes.
    std::uint64_t table_length() const { return guided_ ? chunks_ : 0; }

    // Writes the map's table to `starts`, which must stay valid as long as the map is used. Must be
    // called before chunk_of and start_of.
    void fill(std::uint64_t* starts) {
        starts_ = starts;
        for (std::uint64_t first = 0, i = 0; i < table_length(); ++i) {
            starts[i] = first;
            first += guided_size(count_ - first, size_, members_);
        }
    }

    // Returns the number of the chunk to which the iteration belongs.
    std::uint64_t chunk_of(std::uint64_t iteration) const {
        if (guided_)
            return static_cast<std::uint64_t>(std::upper_bound(starts_, starts_ + chunks_, iteration) - starts_) - 1;
        return in_blocks() ? block_of(iteration) : iteration / size_;
    }

    // Returns the first iteration of chunk `number`, which must exist.
    std::uint64_t start_of(std::uint64_t number) const {
        if (guided_) return starts_[number];
        return in_blocks() ? static_block(count_, members_, static_cast<unsigned>(number)).first : number * size_;
    }

  private:
    bool in_blocks() const { return size_ == 0; }

    std::uint64_t block_of(std::uint64_t iteration) const {
        const std::uint64_t size = count_ / members_, longer = count_ % members_;
        const std::uint64_t in_longer = longer * (size + 1);
        return iteration < in_longer ? iteration / (size + 1) : longer + (iteration - in_longer) / size;
    }

    std::uint64_t count_, size_; // size 0: blocks
    unsigned members_;
    bool guided_;
    std::uint64_t chunks_ = 0;
    const std::uint64_t* starts_ = nullptr; // guided: the first iteration of each chunk
};

} // namespace teff::loop
