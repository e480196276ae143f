// SPDX-License-Identifier: Apache-2.0
// The rows of the table of knobs for the variables of OpenACC (ACC_*). For knobs.cpp only.
#pragma once

#include "icv/knob_values.h"

namespace teff::icv::values {

inline constexpr Knob kOpenaccKnobs[] = {
    {
        .name = "ACC_DEVICE_TYPE",
        .access = access::plain_text<&GlobalIcvs::acc_device_type>,
        .form = "the name of a type of devices: host",
        .default_words = "none: the host",
        .meaning = "The type of devices that OpenACC uses. The host is the only device: any other type ends a program "
                   "at its first use of OpenACC, unless it names the host itself (acc_init, acc_set_device_type).",
        .trade_off = "None.",
        .shown = Shown::never,
    },
    {
        .name = "ACC_DEVICE_NUM",
        .access = access::integer<&GlobalIcvs::acc_device_number>,
        .form = "a device number",
        .range = {0, INT32_MAX},
        .default_value = "0",
        .meaning = "The device that OpenACC uses. The host is the only device, and its number is 0: any other number "
                   "ends a program at its first use of OpenACC.",
        .trade_off = "None.",
        .shown = Shown::never,
    },
    {
        .name = "ACC_PROFLIB",
        .access = access::any_text<&GlobalIcvs::acc_proflib>,
        .form = "paths of libraries with semicolons between them",
        .range = {0, 1 << 20},
        .unit = "bytes",
        .default_words = "none",
        .meaning = "Libraries that observe the program through OpenACC's profiling interface. They are loaded when the "
                   "program starts, and each one's acc_register_library is called.",
        .trade_off = "None. Ignored in a program with raised privileges.",
        .shown = Shown::never,
        .privileged = Privileged::ignored,
    },
};

} // namespace teff::icv::values
