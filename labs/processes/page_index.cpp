// SPDX-License-Identifier: Apache-2.0
#include "processes/page_index.h"

#include "processes/layout.h"

namespace teff::processes {

namespace {
constexpr std::size_t kLeastSlots = 1024;
constexpr std::size_t kLeastLinks = 256; // that are worth dropping
} // namespace

// Returns the page's slot, or the free slot in which it would be entered. At most half of all slots
// are in use.
std::size_t PageIndex::slot_of(std::uint64_t page) const {
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (page / kPage * kGolden >> 32) & mask;
    while (slots_[at].page != 0 && slots_[at].page != page)
        at = (at + 1) & mask;
    return at;
}

std::uint64_t PageIndex::newest(std::uint64_t page) const { return slots_.empty() ? 0 : slots_[slot_of(page)].newest; }

// Pages without remaining links are not moved to the new table.
void PageIndex::make_room() {
    std::size_t live = 0;
    for (const Slot& slot : slots_)
        live += slot.newest > gone_;
    std::size_t size = kLeastSlots;
    while (size < 4 * (live + 1))
        size *= 2;
    List<Slot> before;
    before.swap(slots_);
    std::memset(static_cast<void*>(slots_.extend(size)), 0, size * sizeof(Slot));
    used_ = live;
    for (const Slot& slot : before)
        if (slot.newest > gone_) slots_[slot_of(slot.page)] = slot;
}

void PageIndex::add(std::uint64_t page, std::uint64_t number, std::size_t offset) {
    if (2 * (used_ + 1) > slots_.size()) make_room();
    Slot& slot = slots_[slot_of(page)];
    used_ += slot.page == 0;
    links_.push({number, slot.page == 0 ? 0 : slot.newest, offset});
    slot = {page, gone_ + links_.size()};
}

void PageIndex::forget_before(std::uint64_t first) {
    first_number_ = first;
    if (links_.size() < kLeastLinks || links_[links_.size() / 2].number >= first) return;
    std::size_t count = links_.size() / 2;
    while (count < links_.size() && links_[count].number < first)
        ++count;
    links_.erase(0, count);
    gone_ += count;
}

} // namespace teff::processes
