// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/lock_holds.h"

#include "probe/trace/calls.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

LockHolds::Slot* LockHolds::make_table(unsigned table) {
    const Guest guest;
    if (!guest.may_call()) return nullptr;
    auto* const slots = static_cast<Slot*>(map_memory(slots_of(table) * sizeof(Slot)));
    further_[table - 1].store(slots, std::memory_order_release); // [hold-2]
    return slots;
}

} // namespace teff::probe::trace
