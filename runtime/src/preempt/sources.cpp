// SPDX-License-Identifier: Apache-2.0
#include "preempt/sources.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/report.h"
#include "base/system_call.h"
#include "preempt/interpose_signals.h"
#include "preempt/kernel_source.h"
#include "preempt/thread_timers.h"

namespace teff::preempt {

namespace {

using icv::PreemptionSource;

// What was asked for turned out not to be there. Relaxed: a thread that reads it late finds out for
// itself.
constinit std::atomic<bool> fell_back{false};

void fall_back(const char* what, const char* reason, const char* remedy) {
    if (fell_back.exchange(true, std::memory_order_relaxed)) return;
    base::warn("TEFF_PREEMPT: %s (%s): going on as with TEFF_PREEMPT=on; %s", what, reason, remedy);
}

// The delay of a thread's first tick, so that the ticks of many threads do not come at once: their
// signals take one lock of the process.
std::uint32_t stagger_us(std::uint32_t period_us) {
    static constinit std::atomic<std::uint32_t> threads{0};
    constexpr std::uint32_t kGoldenRatio = 0x9e37'79b9; // of 2^32: each next one falls into the widest gap
    const std::uint32_t ordinal = threads.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t share = ordinal * kGoldenRatio; // of a period, in 2^-32
    return static_cast<std::uint32_t>(period_us * (share & 0xffff'ffff) >> 32) + 1;
}

void start_timer(Target& self, std::uint32_t period_us) {
    if (make(self.tick, Mark::tick)) arm_each(self.tick, stagger_us(period_us), period_us);
    else fall_back("a thread can have no timer", "the limit of pending signals", "raise ulimit -i");
}

// The kernel tells the thread, and it alone, by our signal.
[[nodiscard]] bool direct_to_thread(int file) {
    f_owner_ex owner{F_OWNER_TID, gettid()};
    return fcntl(file, F_SETFL, O_ASYNC) == 0 && fcntl(file, F_SETSIG, own_signal()) == 0 &&
           fcntl(file, F_SETOWN_EX, &owner) == 0;
}

void start_event(Target& self, std::uint32_t period_us) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_TASK_CLOCK;
    wanted.sample_period = std::uint64_t{period_us} * 1000;
    wanted.wakeup_events = 1;
    wanted.exclude_kernel = 1; // else it needs more rights
    const long file = base::call(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    constexpr const char* kWhat = "a thread can have no performance event";
    constexpr const char* kRemedy =
        "see /proc/sys/kernel/perf_event_paranoid, which has to be 2 or less, and use timer "
        "where it is not yours to change";
    if (file < 0) return fall_back(kWhat, std::strerror(static_cast<int>(-file)), kRemedy);
    self.perf_file = static_cast<int>(file);
    if (direct_to_thread(self.perf_file)) return;
    fall_back(kWhat, std::strerror(errno), kRemedy);
    stop_ticks(self);
}

void start_module(Target& self) {
    const int result = bind_to_module(self);
    if (result < 0)
        return fall_back("the kernel module is not used", explain_module_error(result), "see labs/kernel/README.md");
    note_change_of_stack(self);
}

} // namespace

icv::Preemption source() {
    icv::Preemption wanted = icv::global().preemption;
    if (wanted.source == PreemptionSource::stress) wanted.source = PreemptionSource::timer;
    const bool is_off = wanted.source == PreemptionSource::off;
    if (is_off || fell_back.load(std::memory_order_relaxed)) wanted = {PreemptionSource::demand, 0};
    return wanted;
}

bool signals_requests() {
    const PreemptionSource used = source().source;
    return used == PreemptionSource::demand || used == PreemptionSource::kernel;
}

void start_ticks(Target& self) {
    const icv::Preemption chosen = source();
    if (chosen.source == PreemptionSource::timer) start_timer(self, chosen.period_us);
    else if (chosen.source == PreemptionSource::perf) start_event(self, chosen.period_us);
    else if (chosen.source == PreemptionSource::kernel) start_module(self);
}

void stop_ticks(Target& self) {
    destroy(self.tick);
    unbind_from_module(self);
    // The program may have closed it, and have another file by that number.
    if (self.perf_file >= 0 && fcntl(self.perf_file, F_GETSIG) == own_signal()) close(self.perf_file);
    self.perf_file = -1;
}

} // namespace teff::preempt
