// SPDX-License-Identifier: Apache-2.0
//
// Changes: the message format of writes to shared memory between two flushes. It is a sequence of
// records, one for each page, ordered by address; each record begins at a multiple of 8:
//
//     Record | Run | the run's bytes | Run | bytes | ... | padding
//
// Runs are ordered by their offset. A run has only bytes that differ from the twin, so two
// processes may write adjacent bytes of one word. The functions here have no state; the caller owns
// the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "processes/memory_list.h"

namespace teff::processes::changes {

struct Record {
    std::uint64_t page;  // its address
    std::uint32_t bytes; // of the whole record, with this header and the padding
    std::uint32_t runs;
};
struct Run {
    std::uint16_t offset;
    std::uint16_t bytes;
};

inline Record header(const std::byte* record) {
    Record copy;
    std::memcpy(&copy, record, sizeof copy);
    return copy;
}

// One run after the other.
class Runs {
  public:
    explicit Runs(const std::byte* record) : at_(record + sizeof(Record)), left_(header(record).runs) { look(); }
    bool at_end() const { return left_ == 0; }
    std::size_t offset() const { return run_.offset; }
    std::size_t end() const { return offset() + run_.bytes; }
    std::size_t size() const { return run_.bytes; }
    const std::byte* bytes() const { return at_ + sizeof(Run); }
    void next() {
        at_ += sizeof(Run) + run_.bytes;
        --left_;
        look();
    }

  private:
    void look() {
        if (left_ != 0) std::memcpy(&run_, at_, sizeof run_);
    }

    const std::byte* at_;
    std::uint32_t left_;
    Run run_ = {};
};

// Appends a record of those bytes from offset `from` on that differ from the twin. Appends nothing
// if there are none.
void append_differences(List<std::byte>& list, std::uint64_t page, const std::byte* mine, const std::byte* twin,
                        std::size_t from);

// Writes the record's runs to the page at `to`.
void apply(const std::byte* record, std::byte* to);

// Returns the first offset for which the two records of a page have different values, or kPage if
// there is none. Takes time linear in the records.
std::size_t first_conflict(const std::byte* earlier, const std::byte* later);

} // namespace teff::processes::changes
