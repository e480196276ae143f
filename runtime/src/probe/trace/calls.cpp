// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/calls.h"

#include <sys/mman.h>

namespace teff::probe::trace {

void* map_memory(std::size_t bytes) {
    constexpr int kProtection = PROT_READ | PROT_WRITE, kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
    const long at = call(SYS_mmap, nullptr, bytes, kProtection, kFlags, -1, 0);
    return is_error(at) ? nullptr : std::bit_cast<void*>(at);
}

} // namespace teff::probe::trace
