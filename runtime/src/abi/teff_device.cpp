// SPDX-License-Identifier: Apache-2.0
//
// For libteff-start.so, which calls the first in a device in place of the program's main, the
// second in every other process before the program's main, and the third when a process ends.
#include "abi/export.h"
#include "device/role.h"
#include "device/service.h"

TEFF_EXPORT int teff_serve_as_device() { return teff::device::serve(); }
TEFF_EXPORT void teff_begin_devices() { teff::device::begin(); }
TEFF_EXPORT void teff_end_devices() { teff::device::end(); }
