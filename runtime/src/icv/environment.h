// SPDX-License-Identifier: Apache-2.0
// Reads the environment into GlobalIcvs: finds the variables that the table of knobs names, parses
// their values, and warns about values that are not valid.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "icv/icv.h"
#include "icv/knobs.h"

namespace teff::icv {

// The device variants of an environment variable (OpenMP 5.2, section 21): its name with a suffix.
//
//     OMP_NUM_TEAMS_DEV_3    device 3
//     OMP_NUM_TEAMS_DEV      all devices
//     OMP_NUM_TEAMS          the host, and here the devices, too, which are processes like the host
//     OMP_NUM_TEAMS_ALL      the host and all devices
//
// The first that is set counts. A value for others than this process is checked and has no effect.
enum class Variant : std::uint8_t { plain, all, device, one_device, no_device_number };

struct Setting {
    const char* value = nullptr; // null: not set
    Variant variant = Variant::plain;
    unsigned device = 0; // of one_device
};

// The values of the table's variables, in the table's order.
struct Settings {
    std::array<Setting, kKnobCapacity> values = {};
};

// Finds the settings in the environment. If a variable is defined more than once, the first
// definition counts, as with getenv. The returned values point into the environment. Warns about
// names that begin with TEFF_ and are not in the table: they are nearly always typing errors, which
// would otherwise go unnoticed. Also warns about values that are not valid of variants that do not
// count. `own_device`: the number of the device that this process is.
Settings find_settings(const char* const* envp, std::optional<unsigned> own_device = std::nullopt);

// Parses the settings. For each value that is not valid it prints one warning and uses the default.
// `privileged`: the program runs with more rights than its caller.
GlobalIcvs read_settings(const Settings& settings, int processors, bool privileged,
                         Precedence precedence = Precedence::of_libgomp);

// The two parts of read_settings: the first gives what each variable says, and the second computes
// the members that depend on more than one of them.
GlobalIcvs read_knobs(const Settings& settings, bool privileged);
void settle(GlobalIcvs& icvs, int processors, Precedence precedence);

// Whether a variable is one of Teff, by its name.
bool is_ours(std::string_view name);

// Reads one more setting, NAME=VALUE, into what read_knobs has returned. Returns false if the table
// has no such variable, or if it is one of Teff. `value` must stay valid.
bool read_setting(std::string_view name, const char* value, GlobalIcvs& icvs);

struct VariantName {
    std::string_view base; // without its suffix
    Variant variant;
    unsigned device; // of one_device
};

// Splits a name into the variable and its suffix; returns nothing if the name has none of the
// suffixes. Does not check whether the variable exists or has device variants.
std::optional<VariantName> split_variant(std::string_view name);

} // namespace teff::icv
