// SPDX-License-Identifier: Apache-2.0
//
// The file of counts: a header, and then a record for each grain that has ended.
// docs/formats/counts.md defines the format; tools/crates/grains/src/characterise/counts.rs reads
// it.
//
// Each process has one file. The thread that writes first makes this file. Each thread collects
// records, and appends all collected records by one write. The file is opened again for each write:
// if the library kept a descriptor, the program could close it, and the number could then belong to
// another file. System calls bypass the C library, with signals blocked, so the program's errno,
// signal handlers and cancellation are not affected.
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

// The records of one thread.
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

// Called by the library's constructor.
void note_surroundings();

// Called in a forked child, whose records go into a separate file.
void forget_file();

} // namespace teff::instructions
