// SPDX-License-Identifier: Apache-2.0
//
// For libteff-start.so, which calls it in a device in place of the program's main.
#include "abi/export.h"
#include "device/service.h"

TEFF_EXPORT int teff_serve_as_device() { return teff::device::serve(); }
