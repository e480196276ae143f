// SPDX-License-Identifier: Apache-2.0
#include "processes/beat.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "processes/aside.h"
#include "processes/flush.h"
#include "processes/link.h"
#include "processes/modules.h"
#include "processes/overflow.h"
#include "processes/tasks.h"

namespace teff::processes::beat {

namespace {

constexpr long kPeriod_ns = 50'000'000;

timer_t timer;
bool has_timer = false;

void set_period(long ns) {
    const itimerspec period = {{0, ns}, {0, ns}};
    if (has_timer) timer_settime(timer, 0, &period, nullptr);
}

// During a message signals are blocked, so the beat arrives when the message is complete.
void on_beat(int, siginfo_t*, void* context) {
    const int before = errno;
    const greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const Interrupted interrupted(static_cast<std::uintptr_t>(registers[REG_RSP]));
    const bool in_program = !modules::is_private_code(reinterpret_cast<const void*>(registers[REG_RIP]));
    // If the program's own code was interrupted, no function of the runtime is incomplete.
    if (flush_if_shared(Why::beat) && in_program) tasks::offer();
    errno = before;
}

} // namespace

void begin() {
    make_handler_stack();
    overflow::watch();
    struct sigaction action = {};
    action.sa_sigaction = on_beat;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    action.sa_mask = others_while_handling();
    sigaction(link::signal_number(), &action, nullptr);
    action.sa_sigaction = [](int, siginfo_t*, void*) { link::die_without_hub(); };
    sigaction(link::death_signal_number(), &action, nullptr);
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = link::signal_number();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void start() { set_period(kPeriod_ns); }
void stop() { set_period(0); }

} // namespace teff::processes::beat
