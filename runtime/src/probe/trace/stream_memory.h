// SPDX-License-Identifier: Apache-2.0
//
// StreamMemory: the memory in which streams lie, and the limit on their number.
//
// The number of a process's mappings is limited (vm.max_map_count), and each of a program's
// threads takes two mappings for its stack. A stream needs one mapping for its chunk; it gets a
// second mapping for the next chunk, and one for each ring of the kernel's records, if many
// mappings are left. So several Stream objects share one mapping, and no further threads are
// recorded when the streams have used up an eighth of the limit.
//
// The memory is all zero. A forked child finds the memory all zero again, if the kernel supports
// this (Linux 4.14). Memory is never given back, as streams live as long as the process.
//
// May be used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::probe::trace {

class StreamMemory {
  public:
    static constexpr std::size_t kStreamsOfOne = 16; // streams in one mapping
    static constexpr std::uint64_t kUsualMappings = 65'530;

    // Returns how many streams there may be: an eighth of the process's mappings.
    static constexpr std::uint64_t most_streams(std::uint64_t mappings) { return mappings / 8; }

    // Reads how many mappings the process may have. Called apart (apart.h). Before this call, and
    // if the number cannot be read, the limit is kUsualMappings.
    void read_limit(const char* file = "/proc/sys/vm/max_map_count");
    bool is_used_up() const { return taken_ >= most_; }
    // Whether the stream taken last may have a second mapping.
    bool has_plenty() const { return taken_ <= most_ / 2; }

    // Returns whole pages for one stream, or null if there is no memory. `bytes` must be the same
    // in each call.
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
