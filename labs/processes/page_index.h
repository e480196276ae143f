// SPDX-License-Identifier: Apache-2.0
//
// PageIndex: finds the records of a page in the log of changes. So a conflict is searched only
// among the records of the same page, and the time of the search depends on the arriving changes,
// not on the length of the log.
//
// A table maps a page to the link of its newest record; each link leads to the page's previous
// record. Links name entries of the log by number. Links to entries that have left the log are
// skipped, and are removed when half of all links are of this kind. Used by the hub's only thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "processes/memory_list.h"

namespace teff::processes {

class PageIndex {
  public:
    // Numbers must be added in rising order.
    void add(std::uint64_t page, std::uint64_t number, std::size_t offset);

    // Calls visit(number, offset) for the page's records in entries from `first` on, newest first.
    template <class Visit> void for_records(std::uint64_t page, std::uint64_t first, Visit visit) const {
        if (first < first_number_) first = first_number_;
        for (std::uint64_t id = newest(page); id > gone_; id = link(id).before) {
            if (link(id).number < first) return;
            visit(link(id).number, link(id).offset);
        }
    }

    // Entries before `first` have left the log.
    void forget_before(std::uint64_t first);

    std::size_t links() const { return links_.size(); }

  private:
    struct Link { // ids count from 1; 0 is none
        std::uint64_t number, before;
        std::size_t offset;
    };
    struct Slot {
        std::uint64_t page, newest;
    };

    const Link& link(std::uint64_t id) const { return links_[id - gone_ - 1]; }
    std::uint64_t newest(std::uint64_t page) const;
    std::size_t slot_of(std::uint64_t page) const;
    void make_room();

    List<Link> links_;
    List<Slot> slots_; // open addressing; page 0: free
    std::size_t used_ = 0;
    std::uint64_t gone_ = 0, first_number_ = 0; // links with ids up to that were dropped
};

} // namespace teff::processes
