// SPDX-License-Identifier: Apache-2.0
//
// List: a growing array (base/list.h), in memory that is mapped for it alone.
//
// A List does not use malloc, for two reasons: lists are used at times when the program may have
// been interrupted inside malloc, and their elements belong to one process and must not lie in
// shared memory.
#pragma once

#include <cstddef>
#include <sys/mman.h>

#include "base/list.h"
#include "processes/report.h"

namespace teff::processes {

struct MappedMemory {
    static void* grow(void* memory, std::size_t old_bytes, std::size_t& bytes) {
        constexpr std::size_t kGrain = 4096;
        const std::size_t wanted = bytes;
        bytes = (bytes + kGrain - 1) / kGrain * kGrain;
        void* const grown = memory == nullptr
                                ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                : mremap(memory, old_bytes, bytes, MREMAP_MAYMOVE);
        if (grown == MAP_FAILED) fail("no memory for %zu bytes of the runtime's own", wanted);
        return grown;
    }
    static void release(void* memory, std::size_t bytes) { munmap(memory, bytes); }
};

template <class T> using List = base::ListOver<T, MappedMemory>;

} // namespace teff::processes
