// SPDX-License-Identifier: Apache-2.0
//
// TEFF_DEVICES=locality: a region runs where its data are. If several devices have them, or if no
// device has any, it runs on the one of these with the fewest unfinished regions; among equals the
// default device comes first. If no device has all that any device has, it runs on the default
// device.
#include "device/place_policy.h"

namespace teff::device {

namespace {

unsigned choose_by_locality(const DeviceView* devices, unsigned count, unsigned default_device) {
    unsigned best = default_device;
    bool has_best = devices[best].has_all;
    for (unsigned i = 0; i < count; ++i) {
        if (!devices[i].has_all || (has_best && devices[i].unfinished >= devices[best].unfinished)) continue;
        best = i;
        has_best = true;
    }
    return best;
}

} // namespace

const PlacePolicy place_by_locality = {"locality", choose_by_locality};

} // namespace teff::device
