// SPDX-License-Identifier: Apache-2.0
//
// Lines: a device's lines to other devices, and what it passes over them. between.h has the
// protocol.
//
// The thread that serves is the only one that uses them. A line is taken from the host when the
// first construct names the other device, and stays.
#pragma once

#include <cstdint>

#include "base/list.h"
#include "device/message.h"
#include "device/transport.h"

namespace teff::device {

enum class Passed {
    whole,
    cut,  // the other device is gone
    gone, // the host is
};

class Lines {
  public:
    // Pass the data of a checked construct, to or from these ranges of this device. An invalid
    // message of the host or of the other device ends the process.
    Passed send(const Transport&, Peer host, const Construct&, const Range* reads);
    Passed receive(const Transport&, Peer host, const Construct&, const Range* copies);
    // Called in a forked child.
    void forget(const Transport&);

  private:
    static constexpr Peer kNone = -1;

    bool find(const Transport&, Peer host, unsigned device, Peer& line);

    base::List<Peer> lines_; // by the other device's number
};

// Moves data within this device.
void move_within(const Construct&, const Lists&);

} // namespace teff::device
