// SPDX-License-Identifier: Apache-2.0
#include "preempt/thread_timers.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

#include "base/system_call.h"
#include "preempt/interpose_signals.h"

namespace teff::preempt {

namespace {

timespec of_us(std::uint32_t us) {
    constexpr std::uint32_t kPerSecond = 1'000'000;
    return {static_cast<time_t>(us / kPerSecond), static_cast<long>(us % kPerSecond) * 1000};
}

void set(const ThreadTimer& timer, std::uint32_t first_us, std::uint32_t period_us) {
    const itimerspec times{of_us(period_us), of_us(first_us)};
    base::call(SYS_timer_settime, timer.id, 0, &times, nullptr);
}

} // namespace

bool make(ThreadTimer& timer, Mark mark) {
    struct sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = own_signal();
    event.sigev_value = value_of(mark);
    event._sigev_un._tid = gettid();
    timer.armed = false;
    if (base::call(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer.id) == 0) return true;
    timer.id = ThreadTimer::kNone;
    return false;
}

void destroy(ThreadTimer& timer) {
    if (timer.id != ThreadTimer::kNone) base::call(SYS_timer_delete, timer.id);
    timer = {};
}

void arm_once(ThreadTimer& timer, std::uint32_t us) {
    if (timer.id == ThreadTimer::kNone) return;
    timer.armed = true;
    set(timer, us, 0);
}

void arm_each(ThreadTimer& timer, std::uint32_t first_us, std::uint32_t period_us) {
    if (timer.id == ThreadTimer::kNone) return;
    timer.armed = true;
    set(timer, first_us, period_us);
}

void disarm(ThreadTimer& timer) {
    if (!timer.armed) return;
    timer.armed = false;
    set(timer, 0, 0);
}

} // namespace teff::preempt
