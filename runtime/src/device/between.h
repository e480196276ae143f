// SPDX-License-Identifier: Apache-2.0
//
// Copies between two devices, which do not pass through the host: its part. lines.h has that of the
// devices.
//
// The host has its turn at both devices, and takes the one with the lower number first, so threads
// that copy in opposite directions cannot wait for each other. It sends the sending device a
// construct whose reads are the ranges to copy, then the receiving device one whose copies are the
// ranges to write. Both have the same number of a Pass. If the two devices have no line yet, the
// host makes one, and gives each its end behind its construct. The sending device sends the Pass,
// the receiving device receives it, and both answer the host:
//
//     state of a device    it leaves the state when                          then
//     idle                 the construct has come                            it takes the line
//     takes the line       its end has come; at once if it has the line      it passes
//     passes               all data have been sent or received               it sends its Reply
//                          the line has broken                               it sends a Cut
//
// The sender waits only while the line is full, and the receiver takes all that comes. Neither
// waits for the host, and no other construct is under way on either. So nothing can wait in a
// circle. A device does not limit the time for which it waits for the other one: it says each
// second that it lives, as with any construct.
//
// If one of the two devices ends, the other one answers with a Cut, or (over MPI) waits until the
// host ends. The host receives one message of each in turn. So it notices within its patience and a
// second that a device is gone or silent, whatever the other device says, and ends the run with the
// number of that device.
//
// A copy within a device is one construct, whose copies have the data of its reads.
#pragma once

#include "base/list.h"
#include "device/range_heap.h"
#include "device/where.h"

namespace teff::device {

// Memory of a device: the ranges are copied one after another.
struct Ranges {
    unsigned device;
    base::List<Range> list;
};

// Range i of `to` and range i of `from` have the same length.
void copy_between(Ranges& to, Ranges& from, Where where);

} // namespace teff::device
