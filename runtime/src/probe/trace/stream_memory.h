// SPDX-License-Identifier: Apache-2.0
//
// StreamMemory: what streams lie in, and how many there may be.
//
// The number of a process's mappings is limited (vm.max_map_count), and each of a program's threads
// takes two for its stack. A stream needs one for its chunk, and has one more for the next chunk if
// there are plenty. So many streams share one mapping, and threads beyond a share of the mappings
// are not recorded.
//
// The memory is all zero. A forked child finds it so again, whatever lay there, where the kernel
// knows how (Linux 4.14). Memory is never given back: streams live as long as the process.
//
// Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::probe::trace {

class StreamMemory {
  public:
    static constexpr std::size_t kStreamsOfOne = 16; // in one mapping
    static constexpr std::uint64_t kUsualMappings = 65'530;

    // One of eight mappings may be a stream's.
    static constexpr std::uint64_t most_streams(std::uint64_t mappings) { return mappings / 8; }

    // Apart (apart.h). Reads how many mappings there may be; until then, and where that cannot be
    // read, it takes what is usual.
    void read_limit(const char* file = "/proc/sys/vm/max_map_count");
    bool is_used_up() const { return taken_ >= most_; }
    // Whether the stream taken last may have a second mapping.
    bool has_plenty() const { return taken_ <= most_ / 2; }

    // Whole pages for one stream, of always the same size; null: there is no memory.
    [[nodiscard]] void* take(std::size_t bytes);
    bool is_kept_from_children() const { return kept_from_children_; }

  private:
    bool map(std::size_t bytes);

    char* at_ = nullptr;
    std::size_t left_ = 0; // streams for which there is memory at `at_`
    std::uint64_t taken_ = 0;
    std::uint64_t most_ = most_streams(kUsualMappings);
    bool kept_from_children_ = false;
};

} // namespace teff::probe::trace
