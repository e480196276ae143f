// SPDX-License-Identifier: Apache-2.0
//
// TEFF_DEVICES=round_robin: devices in turn, leaving out those that have data of the region. On the
// device that it gets, a region copies its data from the host, as on the default device. A region
// of which the default device has data runs there.
#include "device/place_policy.h"

namespace teff::device {

namespace {

unsigned choose_in_turn(const DeviceView* devices, unsigned count, unsigned default_device) {
    static unsigned next = 0;
    if (devices[default_device].has_some) return default_device;
    while (devices[next % count].has_some)
        ++next;
    return next++ % count;
}

} // namespace

const PlacePolicy place_in_turn = {"round_robin", choose_in_turn};

} // namespace teff::device
