// SPDX-License-Identifier: Apache-2.0
//
// The device's side: carries out what the host sends.
//
// The thread that the process has begun with serves instead of running the program's `main`; the
// constructors of static objects have run. It runs regions as initial tasks, and everything inside
// a region is as in any OpenMP program. A second thread tells the host once a second that the
// device lives, while a construct is under way, and waits until the host is gone: a device never
// lives longer than its host. A mutex lets one of the two threads send at a time. A third thread
// receives data that come ahead of their constructs (arrivals.h), once there are any. If the host
// is gone while no region runs, the process ends by exit, so destructors run; otherwise it ends
// after a short time.
//
// The buffers of the C library and of Fortran's are written out before each answer, so output of a
// region comes before output of the host after the region.
#pragma once

#include "device/transport.h"

namespace teff::device {

// Called once, by take_role.
void set_host(const Transport& transport, Peer host);

// Called in a forked child.
void forget_host();

// Serves until the host is gone, then returns the exit status.
int serve();

} // namespace teff::device
