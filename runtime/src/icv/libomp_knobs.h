// SPDX-License-Identifier: Apache-2.0
// The rows of the table of knobs for the variables of LLVM's libomp and Intel's libiomp5 (KMP_*),
// and how they are read. For knobs.cpp only. What they mean is in libomp_settings.h.
#pragma once

#include "icv/knob_values.h"
#include "icv/libomp_settings.h"

namespace teff::icv::values {

inline constexpr Word<LibompLibrary> kLibompLibraries[] = {
    {"throughput", LibompLibrary::throughput},
    {"turnaround", LibompLibrary::turnaround},
    {"serial", LibompLibrary::serial},
};

inline bool read_libomp_affinity(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::kmp_affinity>(icvs, libomp::affinity(text));
}
inline bool read_libomp_blocktime(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::kmp_blocktime_us>(icvs, libomp::blocktime_us(text));
}
inline bool read_libomp_stacksize(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::kmp_stacksize_bytes>(icvs,
                                                           libomp::stacksize(text, knob.range.low, knob.range.high));
}
inline void print_nothing(std::FILE*, const GlobalIcvs&) {} // of knobs that are never shown

inline constexpr Knob kLibompKnobs[] = {
    {
        .name = "KMP_AFFINITY",
        .access = {read_libomp_affinity, print_nothing},
        .form = "[modifiers,]type[,permute[,offset]] with type none, disabled, compact, scatter, balanced, logical, "
                "physical or explicit, and modifiers such as granularity=fine and proclist=[0,2-4]",
        .default_words = "none",
        .meaning =
            "How threads are bound to processors. compact, logical and physical mean OMP_PROC_BIND=CLOSE, scatter and "
            "balanced mean SPREAD, and the granularity names the places (cores if there is none; threads if it is "
            "fine). explicit binds to the processors of proclist, in which groups in braces are not understood. none "
            "and disabled mean FALSE. It has no effect if OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY is set.",
        .trade_off = "The same as for OMP_PROC_BIND.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_BLOCKTIME",
        .access = {read_libomp_blocktime, print_nothing},
        .form = "an integer with ms or us after it (ms if there is none), or infinite",
        .unit = "milliseconds",
        .default_words = "TEFF_SPIN",
        .meaning = "How long a waiting thread spins before it sleeps, as TEFF_SPIN. It has no effect if TEFF_SPIN or "
                   "GOMP_SPINCOUNT is set.",
        .trade_off = "The same as for TEFF_SPIN.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_STACKSIZE",
        .access = {read_libomp_stacksize, print_nothing},
        .form = "an integer with B, K, M or G after it (B if there is none)",
        .range = kStackRange,
        .unit = "bytes",
        .default_words = "0: OMP_STACKSIZE",
        .meaning = "The size of the stack of each thread. It has no effect if OMP_STACKSIZE or GOMP_STACKSIZE is set.",
        .trade_off = "The same as for OMP_STACKSIZE.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_LIBRARY",
        .access = access::word<&GlobalIcvs::kmp_library, kLibompLibraries>,
        .form = "throughput, turnaround or serial",
        .default_value = "throughput",
        .meaning = "What the process is like. turnaround means OMP_WAIT_POLICY=ACTIVE, and serial means "
                   "OMP_THREAD_LIMIT=1, unless these variables are set.",
        .trade_off = "The same as for OMP_WAIT_POLICY.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_SETTINGS",
        .access = access::boolean<&GlobalIcvs::kmp_settings>,
        .form = "TRUE or FALSE",
        .default_value = "FALSE",
        .meaning = "Whether the settings are printed at the start, as OMP_DISPLAY_ENV=TRUE prints them.",
        .trade_off = "None.",
        .shown = Shown::never,
    },
};

} // namespace teff::icv::values
