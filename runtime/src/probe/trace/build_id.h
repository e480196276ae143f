// SPDX-License-Identifier: Apache-2.0
//
// The GNU build id of a loaded object: the id's first 8 bytes as stored, read from memory. The
// result is 0 if the object has no build id, or if its headers are not valid, as in a damaged
// object. If the linker wrote no build id, a mark distinguishes builds. These functions take no
// lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

#include "base/arch/arch.h"

namespace teff::probe::trace {

struct Build {
    // A note counts only if it lies in a readable segment, in the first 2 KiB of its segment.
    std::uint64_t id = 0;
    // The build id. If the object has none: a digest of its headers and of the beginning of its
    // unwind tables, which differ between builds of a plugin. 0 if there are no headers.
    std::uint64_t mark = 0;
};

// Space for copies of an object's memory.
struct ObjectCopy {
    alignas(ElfW(Phdr)) char headers[base::arch::kPageBytes];
    char content[2048];
};

// Reads the object's notes and tables by its program headers.
Build build_of(const ElfW(Phdr) * segments, std::size_t count, std::uintptr_t bias);

// Does the same for an object that lies from `begin` to `end`, by the ELF header at the beginning
// of its first page. Without `copy` the object must stay loaded meanwhile, and no system call is
// made. With `copy`, the object may be unloaded at any time: its memory is copied by the kernel
// (own_memory.h), and what cannot be read counts as missing.
Build build_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias, ObjectCopy* copy = nullptr);

} // namespace teff::probe::trace
