// SPDX-License-Identifier: Apache-2.0
// The one device there is: the host, and the numbers that stand for it.
#pragma once

#include "abi/current.h"

namespace teff::abi {

inline constexpr int kHost = 0;           // the number behind the last device, of which there is none
inline constexpr int kDefaultDevice = -5; // omp_default_device, to GCC 16 and later

// For numbers that the program names to a routine.
inline bool is_host(int device) {
    first_use();
    if (device == kDefaultDevice) device = current_icvs().default_device;
    return device == kHost || device == icv::kInitialDevice;
}

} // namespace teff::abi
