// SPDX-License-Identifier: Apache-2.0
// The bits of the `flags` argument of GOMP_task and GOMP_taskloop, as GCC defines them.
#pragma once

namespace teff::abi {

enum GccTaskFlag : unsigned {
    kGccUntied = 1u << 0,
    kGccFinal = 1u << 1,
    kGccMergeable = 1u << 2,
    kGccDepend = 1u << 3,
    kGccPriority = 1u << 4,
    kGccUp = 1u << 8,
    kGccGrainsize = 1u << 9,
    kGccIf = 1u << 10,
    kGccNogroup = 1u << 11,
    kGccReduction = 1u << 12,
    kGccDetach = 1u << 13,
    kGccStrict = 1u << 14,
};

} // namespace teff::abi
