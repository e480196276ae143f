// SPDX-License-Identifier: Apache-2.0
#include "device/map_kind.h"

namespace teff::device {

bool get_transfer(MapKind kind, Transfer& transfer) {
    const auto low = static_cast<unsigned>(kind) & 3;
    const Transfer named = {(low & 1) != 0, (low & 2) != 0, false, false};
    transfer = {};
    switch (kind) {
    case MapKind::alloc:
    case MapKind::to:
    case MapKind::from:
    case MapKind::tofrom:
    case MapKind::force_alloc:
    case MapKind::force_to:
    case MapKind::force_from:
    case MapKind::force_tofrom:
        transfer = named;
        return true;
    case MapKind::always_to:
    case MapKind::always_from:
    case MapKind::always_tofrom:
        transfer = named;
        return transfer.always = true;
    case MapKind::always_present_to:
    case MapKind::always_present_from:
    case MapKind::always_present_tofrom:
        transfer = named;
        return transfer.always = transfer.must_be_present = true;
    case MapKind::force_present:
        return transfer.must_be_present = true;
    default:
        return false;
    }
}

} // namespace teff::device
