// SPDX-License-Identifier: Apache-2.0
// The device variants of an environment variable (OpenMP 5.2, section 21): its name with a suffix.
//
//     OMP_NUM_TEAMS          the host
//     OMP_NUM_TEAMS_ALL      the host and all devices, where nothing closer is set
//     OMP_NUM_TEAMS_DEV      all devices
//     OMP_NUM_TEAMS_DEV_3    device 3
//
// There are no devices: what is meant for them is checked and has no effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace teff::icv {

enum class Variant : std::uint8_t { plain, all, device, one_device, no_device_number };

struct VariantName {
    std::string_view base; // without its suffix
    Variant variant;
};

// Nothing if the name has none of the suffixes. Whether the variable has device variants is not
// this function's matter.
std::optional<VariantName> split_variant(std::string_view name);

} // namespace teff::icv
