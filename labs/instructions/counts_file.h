// SPDX-License-Identifier: Apache-2.0
//
// The file of counts: a header, then a record for each grain that is over. docs/formats/counts.md
// is its book; tools/crates/grains/src/characterise/counts.rs reads it.
//
// One file for a process, made by the thread that writes first. Each thread collects records, and
// appends them, whole. The file is opened anew for each write: a descriptor that the library kept
// would be the program's to close, and its number then another file's. System calls go past the C
// library, with signals blocked: the program's errno, handlers and cancellations are its own.
#pragma once

#include <cstdint>

#include "grain.h"

namespace teff::instructions {

struct Record {
    std::uint64_t task;
    std::uint32_t chunk;
    std::uint32_t kind;
    std::uint64_t instructions, reads, writes, stack_reads, stack_writes, lines;
};
static_assert(sizeof(Record) == 64);

// Of one thread.
class Records {
  public:
    void add(const Grain& grain);
    void write_out();
    void forget() { count_ = 0; }

  private:
    static constexpr unsigned kRoom = 256;

    bool append_all() const;

    Record records_[kRoom];
    unsigned count_ = 0;
};

// By the library's constructor.
void note_surroundings();

// In a forked child: its records go into a file of its own.
void forget_file();

} // namespace teff::instructions
