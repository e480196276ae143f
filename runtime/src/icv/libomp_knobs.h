// SPDX-License-Identifier: Apache-2.0
// The rows of the table of knobs for the variables of LLVM's libomp and Intel's libiomp5 (KMP_*),
// and how they are read. For knobs.cpp only. What they mean is in libomp_settings.h.
#pragma once

#include "icv/knob_values.h"
#include "icv/libomp_settings.h"

namespace teff::icv::values {

inline constexpr Word<LibompLibrary> kLibompLibraries[] = {
    {"throughput", LibompLibrary::throughput}, {"turnaround", LibompLibrary::turnaround},
    {"serial", LibompLibrary::serial},         {"multiuser", LibompLibrary::throughput},
    {"dedicated", LibompLibrary::turnaround},
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
inline bool read_libomp_library(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    const auto library = parse::word<LibompLibrary>(text, kLibompLibraries);
    if (library) icvs.kmp_library = library;
    return library.has_value();
}
// A number of threads, or `all`.
template <auto Member> bool read_threads_or_all(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    if (!parse::equals_ignoring_case(parse::trim(text), "all")) return access::read_integer<Member>(knob, text, icvs);
    icvs.*Member = kAllProcessors;
    return true;
}
inline void print_nothing(std::FILE*, const GlobalIcvs&) {} // of knobs that are never shown

inline constexpr Knob kLibompKnobs[] = {
    {
        .name = "KMP_AFFINITY",
        .access = {read_libomp_affinity, print_nothing},
        .form = "[modifiers,][type[,permute[,offset]]] with type none, disabled, compact, scatter, balanced, logical, "
                "physical or explicit, and modifiers such as granularity=fine and proclist=[0,2-4]",
        .default_words = "none",
        .meaning =
            "How threads are bound to processors. compact, logical and physical mean OMP_PROC_BIND=CLOSE, scatter and "
            "balanced mean SPREAD, and the granularity names the places (cores if there is none; threads if it is "
            "fine). explicit binds to the processors of proclist, in which groups in braces are not understood. none "
            "and disabled mean FALSE. Modifiers without a type have no effect.",
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
                   "GOMP_SPINCOUNT is set, and takes precedence over OMP_WAIT_POLICY.",
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
        .meaning = "The size of the stack of each thread.",
        .trade_off = "The same as for OMP_STACKSIZE.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_HW_SUBSET",
        .access = access::plain_text<&GlobalIcvs::kmp_hw_subset>,
        .form = "[:]units[,units...] with units [count]layer[@skipped] and layer socket, die, numa_domain, ll_cache, "
                "core or thread, or a part of such a word, as in 1s,2c@1,1t",
        .default_words = "none: the whole machine",
        .meaning =
            "The part of the machine that the process uses: how many sockets, how many dies of each socket, cores of "
            "each die, and threads of each core. `@` gives the number of units that are skipped, and a missing count "
            "or `*` means all. Without a colon at the beginning, layers that are not named count as all, except "
            "numa_domain and ll_cache. With it, only the layers that are named exist, so that `:4t` means four threads "
            "of the machine. Processors outside of the affinity mask do not exist. Threads run on this part even if "
            "they are not bound, omp_get_num_procs counts it, and OMP_PLACES describes it. It has no effect if "
            "KMP_AFFINITY is disabled. The layers tile, module, l1_cache, l2_cache and l3_cache and attributes of "
            "cores are not known.",
        .trade_off = "Programs that share a machine do not disturb each other, but cannot use what the others leave.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_LIBRARY",
        .access = {read_libomp_library, print_nothing},
        .form = "throughput (or multiuser), turnaround (or dedicated) or serial",
        .default_words = "none",
        .meaning = "What the process is like. turnaround means OMP_WAIT_POLICY=ACTIVE, throughput means PASSIVE, and "
                   "serial means OMP_THREAD_LIMIT=1. KMP_BLOCKTIME still says how long threads spin.",
        .trade_off = "The same as for OMP_WAIT_POLICY.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_DEVICE_THREAD_LIMIT",
        .access = {read_threads_or_all<&GlobalIcvs::kmp_device_threads>, print_nothing},
        .form = "a positive integer, or all",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words = "none: no limit",
        .meaning = "The most threads of a contention group, as OMP_THREAD_LIMIT; the smaller of the two limits counts. "
                   "all means the number of processors.",
        .trade_off = "The same as for OMP_THREAD_LIMIT.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_ALL_THREADS",
        .access = {read_threads_or_all<&GlobalIcvs::kmp_all_threads>, print_nothing},
        .form = "a positive integer, or all",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words = "none: no limit",
        .meaning = "The old name of KMP_DEVICE_THREAD_LIMIT, which takes precedence.",
        .trade_off = "The same as for OMP_THREAD_LIMIT.",
        .shown = Shown::never,
    },
    {
        .name = "KMP_TEAMS_THREAD_LIMIT",
        .access = access::integer<&GlobalIcvs::kmp_teams_threads>,
        .form = "a positive integer",
        .range = {1, INT32_MAX},
        .unit = "threads",
        .default_words = "none: no limit",
        .meaning = "The most threads of all teams of a teams construct in code of LLVM's compilers. There are at most "
                   "so many teams, and each gets an equal share of the threads.",
        .trade_off = "The same as for OMP_TEAMS_THREAD_LIMIT.",
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
