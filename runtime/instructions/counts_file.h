// SPDX-License-Identifier: Apache-2.0
//
// The file of counts: a header, then a record for each grain that is over. docs/formats/counts.md
// is its book; tools/crates/grains/src/characterise/counts.rs reads it.
//
// One file for a process, opened by the thread that writes first. Each thread collects records, and
// appends them by one write, whole and without a lock: the kernel gives each its place.
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
    Record records_[kRoom];
    unsigned count_ = 0;
};

// In a forked child: its records go into a file of its own.
void forget_file();

} // namespace teff::instructions
