// SPDX-License-Identifier: Apache-2.0
//
// PlacePolicy: chooses the device of a region that names none. A policy is a file and an entry in
// placement.cpp; placement.h has what is common to all.
#pragma once

namespace teff::device {

struct DeviceView {
    bool has_some;       // of the region's data
    bool has_all;        // of the region's data that any device has
    unsigned unfinished; // regions that the device has been given
};

// `devices` are `count` devices. Returns the number of one of them. Called by one thread at a time.
struct PlacePolicy {
    const char* name; // in TEFF_DEVICES
    unsigned (*choose)(const DeviceView* devices, unsigned count, unsigned default_device);
};

extern const PlacePolicy place_by_locality, place_in_turn;

} // namespace teff::device
