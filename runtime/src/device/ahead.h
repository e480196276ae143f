// SPDX-License-Identifier: Apache-2.0
//
// Ahead: the data of a construct go to its device while another construct is under way there.
//
// Each device may have a second line, its lane. Data that are sent over it go to memory that the
// host has just taken from the device's heap, and that no construct uses. Nothing else changes: the
// construct is planned and sent when it has its turn, and has no copies of these data. decisions/
// 0056 has the protocol, and says why this is sound.
//
//     state of a lane   it leaves the state when                                    who
//     none              the first large construct with nowait has its turn          the device's thread
//     open              sending has failed                                          the one that sends
//     closed            never
//
// A piece of data is `chosen` and its memory taken with the device's `memory_mutex`, sent without
// it, and counted (Device::aheads) with it. One thread sends (deferred.h). A construct finds its
// pieces when it is planned, and gives back the memory of those that it does not need. Before that,
// the thread that sends has ended.
#pragma once

#include "device/map_kind.h"
#include "device/where.h"

namespace teff::device {

// Whether the items have data that are worth it.
bool is_worth_sending_ahead(const Items& items);

// Opens the device's lane, if there is none yet, and tells the device's queue. Called by the
// device's thread; `where` is the construct that it is about to carry out.
void open_lane(unsigned device, Where where);

// Sends what can be sent of a construct that is ready and has not had its turn. `items` are the
// ones that the construct will be planned with. A device that is gone is left to the construct that
// is under way.
void send_ahead(unsigned device, const Items& items);

} // namespace teff::device
