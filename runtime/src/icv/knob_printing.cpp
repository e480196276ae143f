// SPDX-License-Identifier: Apache-2.0
#include "icv/knob_printing.h"

#include <cinttypes>
#include <csignal>

#include "icv/knob_access.h"

namespace teff::icv {

static void print_bind(std::FILE* out, ProcBind bind) {
    static constexpr const char* kNames[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    std::fputs(kNames[static_cast<int>(bind)], out);
}

void print_proc_bind(std::FILE* out, const GlobalIcvs& icvs) {
    const char* separator = "";
    for (const ProcBind bind : icvs.proc_bind) {
        std::fputs(separator, out);
        print_bind(out, bind);
        separator = ",";
    }
}

void print_num_threads(std::FILE* out, const GlobalIcvs& icvs) {
    if (icvs.num_threads.empty()) std::fprintf(out, "%" PRIu32, icvs.default_team_size);
    const char* separator = "";
    for (const std::uint32_t threads : icvs.num_threads) {
        std::fprintf(out, "%s%" PRIu32, separator, threads);
        separator = ",";
    }
}

// Only what differs from the kind's default is printed, as libgomp does it.
void print_schedule(std::FILE* out, const GlobalIcvs& icvs) {
    const RunSchedule& schedule = icvs.schedule;
    const bool is_static = schedule.kind == ScheduleKind::static_;
    if (schedule.monotonic != is_static) std::fputs(is_static ? "NONMONOTONIC:" : "MONOTONIC:", out);
    static constexpr const char* kNames[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    std::fputs(kNames[static_cast<int>(schedule.kind)], out);
    if (schedule.kind != ScheduleKind::auto_ && schedule.chunk != (is_static ? 0 : 1))
        std::fprintf(out, ",%" PRId32, schedule.chunk);
}

void print_preemption(std::FILE* out, const GlobalIcvs& icvs) {
    static constexpr const char* kSources[] = {"off", "on", "timer", "perf", "kernel", "stress"};
    std::fputs(kSources[static_cast<int>(icvs.preemption.source)], out);
    if (icvs.preemption.period_us != 0) std::fprintf(out, ":%" PRIu32 "us", icvs.preemption.period_us);
}

void print_preempt_signal(std::FILE* out, const GlobalIcvs& icvs) {
    const std::string_view name = parse::signal_name(icvs.preempt_signal);
    std::fputs("SIG", out);
    if (!name.empty()) access::print_text(out, name);
    else std::fprintf(out, "RTMIN+%d", icvs.preempt_signal - SIGRTMIN);
}

} // namespace teff::icv
