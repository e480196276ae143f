// SPDX-License-Identifier: Apache-2.0
// From the environment to GlobalIcvs: finds the variables of the table, reads them, warns about
// those that make no sense.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "icv/icv.h"
#include "icv/knobs.h"

namespace teff::icv {

struct Setting {
    const char* value = nullptr; // null: not set
    bool for_all = false; // by the variable's variant _ALL, which counts on the host if there is no plain setting
};

// The values of the table's variables, in the table's order.
struct Settings {
    std::array<Setting, kKnobCapacity> values = {};
};

// The first definition of a variable wins, as with getenv. The values still belong to the
// environment. Warns about names that begin with TEFF_ and are not in the table: nearly always a
// slip of the pen that would otherwise stay unnoticed. Warns about bad values of variants that do
// not count on the host.
Settings find_settings(const char* const* envp);

// Each bad value costs one warning and leaves the default. `privileged`: the program runs with more
// rights than its caller.
GlobalIcvs read_settings(const Settings& settings, int processors, bool privileged);

// The device variants of an environment variable (OpenMP 5.2, section 21): its name with a suffix.
//
//     OMP_NUM_TEAMS          the host
//     OMP_NUM_TEAMS_ALL      the host and all devices, where nothing closer is set
//     OMP_NUM_TEAMS_DEV      all devices
//     OMP_NUM_TEAMS_DEV_3    device 3
//
// There are no devices: what is meant for them is checked and has no effect.
enum class Variant : std::uint8_t { plain, all, device, one_device, no_device_number };

struct VariantName {
    std::string_view base; // without its suffix
    Variant variant;
};

// Nothing if the name has none of the suffixes. Whether the variable has device variants is not
// this function's matter.
std::optional<VariantName> split_variant(std::string_view name);

} // namespace teff::icv
