// SPDX-License-Identifier: Apache-2.0
#include "processes/overflow.h"

#include <csignal>
#include <cstdint>

#include "processes/aside.h"
#include "processes/layout.h"
#include "processes/link.h"
#include "processes/report.h"

namespace teff::processes::overflow {

namespace {

constexpr std::uintptr_t kLargestFrame = 1 << 20;

// Removes the handler, so the instruction faults again and the signal ends the process. If another
// process has sent the signal, it arrives again when the handler returns.
void on_fault(int signal, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const std::uintptr_t lowest = left_stack().end - kStackSpan + kPage; // the guard ends here
    if (info->si_code > 0 && lowest - address < kLargestFrame)
        say("the stack of process %u is used up (%zu MiB): with --processes tasks that wait do so on top of each other",
            link::rank(), kStackSpan >> 20);
    ::signal(signal, SIG_DFL);
    if (info->si_code <= 0) raise(signal);
}

} // namespace

void watch() {
    struct sigaction before;
    if (sigaction(SIGSEGV, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
}

} // namespace teff::processes::overflow
