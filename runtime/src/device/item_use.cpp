// SPDX-License-Identifier: Apache-2.0
#include "device/item_use.h"

namespace teff::device {

namespace {

// Empty if the item maps no memory.
Range mapped_by(const Items& items, std::size_t i) {
    Transfer transfer;
    if (get_transfer(items.kind(i), transfer) || items.kind(i) == MapKind::to_pset) return items.range(i);
    switch (items.kind(i)) {
    case MapKind::pointer: // their sizes are offsets
    case MapKind::pointer_to_zero_length:
    case MapKind::always_pointer:
    case MapKind::attach:
    case MapKind::attach_zero_length:
        return {items.address(i), sizeof(Address)};
    default:
        return {};
    }
}

} // namespace

bool is_present(Memory& memory, const Items& items, std::size_t i) {
    if (items.addresses[i] == nullptr) return false;
    const Range mapped = mapped_by(items, i);
    const bool is_empty = mapped.bytes == 0 && mapped.address != 0;
    if (is_empty || items.kind(i) == MapKind::zero_length)
        return memory.presence.at_or_before(items.address(i)) != nullptr;
    return mapped.bytes != 0 && memory.presence.overlapping(mapped) != nullptr;
}

Range written_by(const Items& items, std::size_t i) {
    Transfer transfer;
    const bool writes = items.addresses[i] != nullptr && get_transfer(items.kind(i), transfer) && transfer.from;
    return writes ? items.range(i) : Range{};
}

bool names_address_in(Range range, const Items& items) {
    for (std::size_t i = 0; i < items.count; ++i)
        if (items.kind(i) == MapKind::firstprivate_int && range.contains({items.address(i), 1})) return true;
    return false;
}

bool names_variable(const Memory& memory, const Items& items) {
    for (std::size_t i = 0; i < items.count; ++i) {
        const Range mapped = mapped_by(items, i);
        if (mapped.bytes != 0 && memory.modules.storage(mapped) == Storage::writable) return true;
    }
    return false;
}

} // namespace teff::device
