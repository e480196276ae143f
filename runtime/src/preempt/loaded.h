// SPDX-License-Identifier: Apache-2.0
//
// A file that the dynamic linker has loaded, as far as preemption looks at it: where its code is,
// and through which slots it calls other files.
//
// All of this reads memory of the object, which must not be unloaded meanwhile: the caller is in a
// callback of dl_iterate_phdr, or the object stays for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>
#include <span>

#include "preempt/code_ranges.h"

namespace teff::preempt {

struct Loaded {
    const char* path; // of the file; may be opened again
    std::uintptr_t base;
    std::span<const ElfW(Phdr)> segments;

    bool contains(const void* address) const;
    bool has_thread_locals() const;
    const ElfW(Dyn) * dynamic() const; // null: none
};

// Its executable sections but for those that the linker wrote (.plt*, .init, .fini). Of a file
// without a table of sections, or with more than `room`, whole segments: a call on its way through
// such a section is a safe point as well, only not one of the program's own instructions. Returns
// how many there are.
std::size_t find_code(const Loaded& object, std::span<CodeRange> room);

} // namespace teff::preempt
