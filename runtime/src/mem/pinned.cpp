// SPDX-License-Identifier: Apache-2.0
#include "mem/pinned.h"

#include <sys/mman.h>

namespace teff::mem {

void* map_pinned(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (mlock(memory, bytes) == 0) return memory;
    munmap(memory, bytes);
    return nullptr;
}

void unmap_pinned(void* memory, std::size_t bytes) { munmap(memory, bytes); }

} // namespace teff::mem
