// SPDX-License-Identifier: Apache-2.0
// The rows of the table of knobs for devices in other processes. For knobs.cpp only.
#pragma once

#include "icv/knob_values.h"

namespace teff::icv::values {

inline constexpr Knob kDeviceKnobs[] = {
    {
        .name = "TEFF_DEVICE_PATIENCE",
        .access = access::integer<&GlobalIcvs::device_patience_s>,
        .form = "an integer",
        .range = {0, 86400},
        .unit = "seconds",
        .default_value = "5",
        .meaning =
            "How long a device of `teff run --devices` may be silent while a construct waits for it. After that time "
            "the run ends with a message. A device in which a region runs says each second that it lives. 0 means for "
            "ever.",
        .trade_off = "A device that a debugger has stopped is silent, too.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_DEVICES",
        .access = access::one_of<&GlobalIcvs::device_placement, kDevicePlacements>,
        .form = kDevicePlacementForm,
        .default_value = "default",
        .meaning =
            "Where `target` regions without a `device` clause run, if there are several devices: on the default "
            "device, where their data are (`locality`), or on the devices in turn (`round_robin`). docs/devices.md "
            "has the rules.",
        .trade_off = "Regions run at the same time only on several devices. But the regions must find all that they "
                     "use in their map clauses: what a region leaves in a variable of the program stays on its device.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_DEVICE_FIGURES",
        .access = access::boolean<&GlobalIcvs::device_figures>,
        .form = kBooleanForm,
        .default_value = "FALSE",
        .meaning = "Whether a run of `teff run --devices` prints, when it ends, how many constructs each device has "
                   "carried out, and how many bytes it has received and sent.",
        .trade_off = "None.",
        .shown = Shown::verbose,
    },
    {
        .name = "TEFF_MPI",
        .access = access::any_text<&GlobalIcvs::mpi_library>,
        .form = "the path or the name of a library",
        .range = {1, 4000},
        .unit = "bytes",
        .default_words = "the library of the launcher's name that the loader finds",
        .meaning =
            "The MPI library by which devices that are ranks of MPI are reached. It must be Open MPI, or have the "
            "binary interface of MPICH or that of the MPI standard.",
        .trade_off = "None. Ignored in a program with raised privileges.",
        .shown = Shown::verbose,
        .privileged = Privileged::ignored,
    },
};

} // namespace teff::icv::values
