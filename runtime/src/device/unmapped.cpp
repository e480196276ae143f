// SPDX-License-Identifier: Apache-2.0
#include "device/unmapped.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "base/arch/arch.h"

namespace teff::device {

namespace {

const Modules* own_modules = nullptr;
unsigned own_number = 0;
struct sigaction before = {}; // who had the signal: nobody, or an MPI library
// Relaxed: the threads of a region begin after this is set.
std::atomic<bool> runs_region{false};
std::atomic<bool> is_explained{false};

// A program may mend its faults. An MPI library, which is loaded later, only reports them.
bool is_of_program(const struct sigaction& action, const Modules& modules) {
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
    return !modules.is_later(reinterpret_cast<Address>(action.sa_handler));
}

bool has_address(const siginfo_t& info) { return info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR; }

void explain(const void* address, const void* context) {
    const PlaceText place =
        own_modules->describe(reinterpret_cast<Address>(base::arch::interrupted_instruction(context)));
    char line[512];
    const int bytes =
        std::snprintf(line, sizeof line,
                      "teff: device %u has nothing at 0x%llx, which the target region uses%s%s: if this is "
                      "memory of the host, a map clause must name it\n",
                      own_number, static_cast<unsigned long long>(reinterpret_cast<Address>(address)),
                      place.text[0] != '\0' ? " at " : "", place.text);
    if (bytes > 0) (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(bytes));
}

// Afterwards the instruction is carried out again, and the signal is as it would be without this.
void handle(int signal, siginfo_t* info, void* context) {
    if (has_address(*info) && runs_region.load(std::memory_order_relaxed)) {
        while (is_explained.exchange(true, std::memory_order_relaxed))
            pause(); // another thread explains its own address
        explain(info->si_addr, context);
    }
    sigaction(signal, &before, nullptr);
    if (!has_address(*info)) raise(signal);
}

} // namespace

void watch_for_unmapped(const Modules& modules, unsigned device) {
    if (sigaction(SIGSEGV, nullptr, &before) != 0 || is_of_program(before, modules)) return;
    own_modules = &modules;
    own_number = device;
    struct sigaction ours = {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &ours, nullptr);
}

void region_begins() { runs_region.store(true, std::memory_order_relaxed); }
void region_ends() { runs_region.store(false, std::memory_order_relaxed); }

} // namespace teff::device
