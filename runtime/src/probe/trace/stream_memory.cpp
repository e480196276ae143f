// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream_memory.h"

#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <utility>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

void StreamMemory::read_limit(const char* file) {
    const std::optional<std::uint64_t> mappings = read_number(AT_FDCWD, file);
    if (mappings) most_ = most_streams(*mappings);
}

void* StreamMemory::take(std::size_t bytes) {
    if (is_used_up() || (left_ == 0 && !map(bytes))) return nullptr;
    --left_;
    ++taken_;
    return std::exchange(at_, at_ + bytes);
}

bool StreamMemory::map(std::size_t bytes) {
    void* const memory = map_memory(kStreamsOfOne * bytes);
    if (memory == nullptr) return false;
    kept_from_children_ = call(SYS_madvise, memory, kStreamsOfOne * bytes, MADV_WIPEONFORK) == 0;
    at_ = static_cast<char*>(memory);
    left_ = kStreamsOfOne;
    return true;
}

} // namespace teff::probe::trace
