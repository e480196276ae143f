// SPDX-License-Identifier: Apache-2.0
// The words that are values of knobs, and how those knobs are read and printed whose values are of
// no common kind (knob_access.h). For knobs.cpp only.
#pragma once

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "icv/icv.h"
#include "icv/knob_access.h"

namespace teff::icv::values {

using parse::Word;

// Above the maximum no machine can create a thread.
inline constexpr Knob::Range kStackRange = {kLeastStack, std::uint64_t{1} << 40};

inline constexpr std::string_view kBooleanForm = "TRUE or FALSE";
inline constexpr std::string_view kSizeForm = "an integer with B, K, M or G after it (K if there is none)";

template <std::size_t... Sizes> constexpr std::array<Knob, (Sizes + ...)> joined(const Knob (&... tables)[Sizes]) {
    std::array<Knob, (Sizes + ...)> all{};
    auto at = all.begin();
    ((at = std::copy(std::begin(tables), std::end(tables), at)), ...);
    return all;
}

inline constexpr Word<WaitPolicy> kWaitPolicies[] = {
    {"PASSIVE", WaitPolicy::passive},
    {"ACTIVE", WaitPolicy::active},
    {"PASSIVE", WaitPolicy::automatic}, // how libgomp prints its default, which is neither; never the result of reading
};
inline constexpr Word<TargetOffload> kTargetOffload[] = {
    {"DEFAULT", TargetOffload::default_},
    {"MANDATORY", TargetOffload::mandatory},
    {"DISABLED", TargetOffload::disabled},
};
inline constexpr Word<DisplayEnv> kDisplayEnv[] = {
    {"FALSE", DisplayEnv::no},
    {"TRUE", DisplayEnv::yes},
    {"VERBOSE", DisplayEnv::verbose},
};
inline constexpr Word<bool> kEnabled[] = {{"ENABLED", true}, {"DISABLED", false}};
inline constexpr Word<bool> kWherePossible[] = {{"auto", true}, {"off", false}};
inline constexpr Word<TaskConstraints> kTaskConstraints[] = {
    {"auto", TaskConstraints::automatic},
    {"strict", TaskConstraints::strict},
    {"relaxed", TaskConstraints::relaxed},
};

inline constexpr Word<UntiedTasks> kUntiedTasks[] = {
    {"stay", UntiedTasks::stay},
    {"migrate", UntiedTasks::migrate},
};

inline void print_bind(std::FILE* out, ProcBind bind) {
    static constexpr const char* kNames[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    std::fputs(kNames[static_cast<int>(bind)], out);
}

inline void print_proc_bind(std::FILE* out, const GlobalIcvs& icvs) {
    const char* separator = "";
    for (const ProcBind bind : icvs.proc_bind) {
        std::fputs(separator, out);
        print_bind(out, bind);
        separator = ",";
    }
}

inline void print_num_threads(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.num_threads.empty()) std::fprintf(out, "%" PRIu32, icvs.default_team_size);
    const char* separator = "";
    for (const std::uint32_t threads : icvs.num_threads) {
        std::fprintf(out, "%s%" PRIu32, separator, threads);
        separator = ",";
    }
}

// Only what differs from the kind's default is printed, as libgomp does it.
inline void print_schedule(std::FILE* out, const GlobalIcvs& icvs) {
    const RunSchedule& schedule = icvs.schedule;
    const bool is_static = schedule.kind == ScheduleKind::static_;
    if (schedule.monotonic != is_static) std::fputs(is_static ? "NONMONOTONIC:" : "MONOTONIC:", out);
    static constexpr const char* kNames[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    std::fputs(kNames[static_cast<int>(schedule.kind)], out);
    if (schedule.kind != ScheduleKind::auto_ && schedule.chunk != (is_static ? 0 : 1))
        std::fprintf(out, ",%" PRId32, schedule.chunk);
}

inline void print_nested(std::FILE* out, const GlobalIcvs& icvs) {
    std::fputs(icvs.max_active_levels > 1 ? "TRUE" : "FALSE", out);
}

inline void print_spin_count(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.spin_count) std::fprintf(out, "%" PRId64, *icvs.spin_count);
}

inline void print_spin_us(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.spin_us != kSpinAutomatic) std::fprintf(out, "%" PRId64, icvs.spin_us);
}

inline void print_trace_limit(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.trace_limit_MiB) std::fprintf(out, "%" PRIu64, *icvs.trace_limit_MiB);
}

inline bool read_num_threads(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::num_threads>(icvs, parse::num_threads(text));
}

inline bool read_schedule(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::schedule>(icvs, parse::schedule(text));
}

inline bool read_proc_bind(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::proc_bind>(icvs, parse::proc_bind(text));
}

inline bool read_allocator(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::default_allocator>(icvs, read_allocator_request(text));
}
inline void print_allocator(std::FILE* out, const GlobalIcvs& icvs) {
    write_escaped(out, spelling(icvs.default_allocator));
}

inline void print_default_device(std::FILE* out, const GlobalIcvs& icvs) {
    std::fprintf(out, "%" PRId32, icvs.default_device);
}

// A limit above the largest int means that there is no limit.
inline bool read_thread_limit(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    const auto limit = parse::integer(text, knob.range.low, knob.range.high);
    if (limit) icvs.thread_limit = *limit > INT32_MAX ? kNoThreadLimit : static_cast<std::uint32_t>(*limit);
    return limit.has_value();
}

// A number of levels above the supported number is reduced to the supported number.
inline bool read_active_levels(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    auto levels = parse::integer(text, knob.range.low, knob.range.high);
    if (levels && *levels > kSupportedActiveLevels) levels = kSupportedActiveLevels;
    return access::store<&GlobalIcvs::active_levels_asked>(icvs, levels);
}

inline bool read_spin_count(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::spin_count>(icvs, parse::spin_count(text));
}

inline bool read_trace_limit(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::trace_limit_MiB>(icvs, parse::integer(text, knob.range.low, knob.range.high));
}

inline bool read_trace_session(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::trace_session>(icvs, parse::file_identity(text));
}

inline bool read_preemption(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::preemption>(icvs, parse::preemption(text));
}

inline void print_preemption(std::FILE* out, const GlobalIcvs& icvs) {
    static constexpr const char* kSources[] = {"off", "on", "timer", "perf", "kernel", "stress"};
    std::fputs(kSources[static_cast<int>(icvs.preemption.source)], out);
    if (icvs.preemption.period_us != 0) std::fprintf(out, ":%" PRIu32 "us", icvs.preemption.period_us);
}

inline bool read_preempt_signal(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::preempt_signal>(icvs, parse::signal_number(text));
}

inline void print_preempt_signal(std::FILE* out, const GlobalIcvs& icvs) {
    const std::string_view name = parse::signal_name(icvs.preempt_signal);
    std::fputs("SIG", out);
    if (!name.empty()) access::print_text(out, name);
    else std::fprintf(out, "RTMIN+%d", icvs.preempt_signal - SIGRTMIN);
}

inline bool read_spin_us(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return access::store<&GlobalIcvs::spin_asked_us>(icvs, parse::integer(text, knob.range.low, knob.range.high));
}

} // namespace teff::icv::values
