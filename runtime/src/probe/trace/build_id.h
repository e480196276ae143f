// SPDX-License-Identifier: Apache-2.0
//
// The GNU build id of a loaded object: the id's first 8 bytes as stored, read from memory. The
// result is 0 if the object has no build id, or if its headers are not valid, as in a damaged
// object. If the linker wrote no build id, build_mark distinguishes builds. These functions take no
// lock and make no system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

namespace teff::probe::trace {

// Reads the build id by the object's program headers. A note counts only if it lies in a readable
// segment.
std::uint64_t build_id(const ElfW(Phdr) * segments, std::size_t count, std::uintptr_t bias);

// Returns the build id. If the object has none, returns a digest of its headers and of the
// beginning of its unwind tables, which differ between builds of a plugin. Returns 0 if there are
// no headers.
std::uint64_t build_mark(const ElfW(Phdr) * segments, std::size_t count, std::uintptr_t bias);

// Do the same for an object that lies from `begin` to `end`, by the ELF header at the beginning of
// its first page.
std::uint64_t build_id_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias);
std::uint64_t build_mark_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias);

} // namespace teff::probe::trace
