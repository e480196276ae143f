// SPDX-License-Identifier: Apache-2.0
//
// A program that waits for another thread in a loop of its own yields or sleeps in it. It looks at
// memory that only a flush renews; so these calls are flushes.
#include <ctime>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/export.h"
#include "processes/aside.h"
#include "processes/flush.h"
#include "processes/tasks.h"

using namespace teff::processes;

namespace {

// What it waits for may also be a task that this process has.
bool pause_if_shared(Why why) {
    if (!flush_if_shared(why)) return false;
    tasks::offer();
    return true;
}

int sleep_for(const timespec* time, timespec* rest) {
    pause_if_shared(Why::asked);
    const int result = static_cast<int>(syscall(SYS_nanosleep, time, rest));
    flush_if_shared(Why::asked);
    return result;
}

} // namespace

TEFF_EXPORT int sched_yield() {
    if (!pause_if_shared(Why::yield)) return static_cast<int>(syscall(SYS_sched_yield));
    return 0;
}

TEFF_EXPORT int nanosleep(const timespec* time, timespec* rest) { return sleep_for(time, rest); }
TEFF_EXPORT int usleep(unsigned us) {
    const timespec time = {static_cast<time_t>(us / 1'000'000), static_cast<long>(us % 1'000'000) * 1000};
    return sleep_for(&time, nullptr);
}
