// SPDX-License-Identifier: Apache-2.0
//
// A file that the dynamic linker has loaded. For preemption, this file finds where the code of the
// loaded file is, and through which slots the loaded file calls other files.
//
// All functions read memory of the object, which must not be unloaded meanwhile. So the caller must
// be in a callback of dl_iterate_phdr, or the object must stay loaded for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>
#include <span>

#include "preempt/code_ranges.h"

namespace teff::preempt {

struct Loaded {
    const char* path; // of the file; the file may be opened again
    std::uintptr_t base;
    std::span<const ElfW(Phdr)> segments;

    bool contains(const void* address) const;
    bool has_thread_locals() const;
    const ElfW(Dyn) * dynamic() const; // null: none
    const void* frame_tables() const;  // its .eh_frame_hdr; null: none
};

// Stores the object's executable sections into `room`, except those that the linker wrote (.plt*,
// .init, .fini). For a file without a table of sections, or with more sections than `room` holds,
// stores whole segments: a call that passes through a section of the linker's is a safe point as
// well, although not at one of the program's own instructions. Returns the number of ranges.
std::size_t find_code(const Loaded& object, std::span<CodeRange> room);

} // namespace teff::preempt
