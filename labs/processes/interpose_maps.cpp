// SPDX-License-Identifier: Apache-2.0
//
// Memory that the program maps. Private writable memory comes from the heap, so it is shared like
// all memory that the program allocates. A private mapping of a file is a copy of the file in the
// heap, and so is any mapping of a file for reading that is made while there are other processes.
// The page in front of such a mapping has the mapping's size, and belongs to the mapping.
//
// All processes inherit any other mapping that was made before the first region; memory that the
// system shares stays shared. After the first region such a mapping is refused, because the other
// processes would not have it.
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/export.h"
#include "processes/heap.h"
#include "processes/interpose.h"
#include "processes/layout.h"
#include "processes/link.h"
#include "processes/missing.h"
#include "processes/run.h"

using namespace teff::processes;

namespace {

constexpr std::uint64_t kMagic = 0x7465'6666'6d61'7073;

struct Front {
    std::uint64_t magic;
    std::size_t bytes;
};

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

// Returns the front page of a mapping in the heap, or null if this is no such mapping or only a
// part of one.
Front* front_of(void* start, std::size_t bytes) {
    if (!heap::owns(start) || reinterpret_cast<std::uintptr_t>(start) % kPage != 0) return nullptr;
    auto* const front = reinterpret_cast<Front*>(static_cast<std::byte*>(start) - kPage);
    return front->magic == kMagic && front->bytes == whole_pages(bytes) ? front : nullptr;
}

void* map_in_heap(std::size_t bytes) {
    bytes = whole_pages(bytes);
    auto* const block = static_cast<std::byte*>(heap::allocate_zeroed(kPage + bytes, kPage));
    if (block == nullptr) return errno = ENOMEM, MAP_FAILED;
    *reinterpret_cast<Front*>(block) = {kMagic, bytes};
    return block + kPage;
}

void unmap_in_heap(Front* front) {
    front->magic = 0;
    heap::release(front);
}

void* map_copy(std::size_t bytes, int file, off_t offset) {
    void* const made = map_in_heap(bytes);
    if (made == MAP_FAILED) return made;
    for (std::size_t at = 0; at < bytes;) {
        const ssize_t got = pread(file, static_cast<std::byte*>(made) + at, bytes - at, offset);
        if (got < 0) {
            const int error = errno;
            unmap_in_heap(front_of(made, bytes));
            return errno = error, MAP_FAILED;
        }
        if (got == 0) break; // beyond the file's end
        at += static_cast<std::size_t>(got);
        offset += got;
    }
    return made;
}

void* map_for_program(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    const bool writes = (protection & PROT_WRITE) != 0, reads = (protection & PROT_READ) != 0;
    const bool is_private = (flags & MAP_TYPE) == MAP_PRIVATE, has_file = (flags & MAP_ANONYMOUS) == 0;
    const bool anywhere = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == 0 && (protection & PROT_EXEC) == 0;
    if (bytes != 0 && anywhere && is_private && writes)
        return has_file ? map_copy(bytes, file, offset) : map_in_heap(bytes);
    if (!link::is_connected())
        return reinterpret_cast<void*>(syscall(SYS_mmap, hint, bytes, protection, flags, file, offset));
    if (bytes != 0 && anywhere && has_file && reads && !writes) return map_copy(bytes, file, offset);
    if ((protection & PROT_EXEC) != 0) missing("code that the program makes after the first parallel region");
    if (!anywhere) missing("memory that is mapped at a given address after the first parallel region");
    if (!is_private) missing("memory that is mapped as shared after the first parallel region");
    missing("memory that is mapped without access after the first parallel region");
}

} // namespace

TEFF_EXPORT void* mmap(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    if (run::is_for_program(TEFF_CALLER)) return map_for_program(hint, bytes, protection, flags, file, offset);
    return reinterpret_cast<void*>(syscall(SYS_mmap, hint, bytes, protection, flags, file, offset));
}
TEFF_EXPORT void* mmap64(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    if (run::is_for_program(TEFF_CALLER)) return map_for_program(hint, bytes, protection, flags, file, offset);
    return reinterpret_cast<void*>(syscall(SYS_mmap, hint, bytes, protection, flags, file, offset));
}

// If a part of a mapping is unmapped, it remains until the whole mapping is unmapped.
TEFF_EXPORT int munmap(void* start, std::size_t bytes) {
    if (!heap::owns(start) || !run::is_for_program(TEFF_CALLER))
        return static_cast<int>(syscall(SYS_munmap, start, bytes));
    if (Front* const front = front_of(start, bytes)) unmap_in_heap(front);
    return 0;
}

TEFF_EXPORT void* mremap(void* start, std::size_t bytes, std::size_t new_bytes, int flags, ...) {
    if (!heap::owns(start) || !run::is_for_program(TEFF_CALLER)) {
        std::va_list more;
        va_start(more, flags);
        void* const to = va_arg(more, void*);
        va_end(more);
        return reinterpret_cast<void*>(syscall(SYS_mremap, start, bytes, new_bytes, flags, to));
    }
    Front* const front = front_of(start, bytes);
    if (front == nullptr || flags != MREMAP_MAYMOVE) missing("mremap of a part of a mapping, or to a given address");
    void* const moved = map_in_heap(new_bytes);
    if (moved == MAP_FAILED) return moved;
    std::memcpy(moved, start, bytes < new_bytes ? bytes : new_bytes);
    unmap_in_heap(front);
    return moved;
}

// If pages of shared memory were dropped, they would show the last agreed state.
TEFF_EXPORT int madvise(void* start, std::size_t bytes, int advice) {
    const bool gives_up = advice == MADV_DONTNEED || advice == MADV_FREE;
    if (!gives_up || !heap::owns(start) || !run::is_for_program(TEFF_CALLER))
        return static_cast<int>(syscall(SYS_madvise, start, bytes, advice));
    if (advice == MADV_DONTNEED) std::memset(start, 0, bytes);
    return 0;
}
