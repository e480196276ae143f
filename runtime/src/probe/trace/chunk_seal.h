// SPDX-License-Identifier: Apache-2.0
//
// The seal of a chunk: a checksum of its bytes, in the chunk's header. A reader finds by it that a
// byte has changed, even if the record is as plausible as before.
//
// A chunk is sealed when its stream has left it, by the thread that prepares a further chunk, or by
// the thread that ends the recording. So a thread that records does not pay for seals.
//
// The stream's thread may still store into its last chunk while that chunk is sealed. It stores
// behind the last record, which the seal leaves out. And it may store into one record that it has
// already written: the cost of a creation that is under way (Stream::creation_begins). So the seal
// of a last chunk ends before the last CREATE of an explicit task whose cost is still 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::probe::trace {

// Returns the checksum of the first `bytes` bytes of a chunk: at least 64, a multiple of 16. The
// header's fields for the checksum count as zero. docs/formats/trace.md defines the computation.
std::uint64_t chunk_checksum(const char* chunk, std::size_t bytes);

// Seals a whole chunk, whose stream has left it. Does nothing if the chunk has a seal.
void seal_left_chunk(char* chunk);

// Seals the last chunk of a stream as far as its records reach. Returns the offset in the chunk at
// which the last record ends, or 0 if the chunk has not begun.
std::size_t seal_last_chunk(char* chunk);

} // namespace teff::probe::trace
