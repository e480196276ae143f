// SPDX-License-Identifier: Apache-2.0
//
// The GNU build id of a loaded object, read from memory: its first 8 bytes, as stored. It is 0 if
// there is none, or if the object's headers make no sense, as in a damaged object. If linkers write
// no such id, build_mark tells builds apart. This takes no lock and makes no
// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

namespace teff::probe::trace {

// By its program headers. A note counts only where a readable segment has it.
std::uint64_t build_id(const ElfW(Phdr) * segments, std::size_t count, std::uintptr_t bias);

// The build id; where there is none, a digest of the headers and of the begin of the unwind tables,
// which differ from build to build of a plugin. 0: nothing can be told.
std::uint64_t build_mark(const ElfW(Phdr) * segments, std::size_t count, std::uintptr_t bias);

// The same by the header that its first page begins with, of an object that lies from `begin` to
// `end`.
std::uint64_t build_id_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias);
std::uint64_t build_mark_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias);

} // namespace teff::probe::trace
