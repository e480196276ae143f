// SPDX-License-Identifier: Apache-2.0
//
// For tests only: enters the calling thread as the kernel module does, but from a timer's signal,
// on this machine's processor. Only one FakeModule may exist at a time.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>
#include <unistd.h>

#include "preempt/code_ranges.h"
#include "preempt/kernel_source.h"
#include "preempt/preempted_program.h"
#include "preempt/tick_source.h"

namespace teff::preempt {

class FakeModule {
  public:
    // Makes a request to `target` before each tick.
    FakeModule(Target& target, std::uint32_t period_us) {
        asked_ = &target;
        Target unbound;
        if (bind_to_module(unbound) >= 0) unbind_from_module(unbound); // sets what the trampoline needs
        stack_t stack{};
        stack.ss_sp = handlers_stack_;
        stack.ss_size = sizeof handlers_stack_;
        sigaltstack(&stack, &stack_before_);
        struct sigaction action{};
        action.sa_sigaction = enter;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        sigaction(SIGUSR2, &action, &before_);
        struct sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGUSR2;
        event._sigev_un._tid = gettid();
        if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) std::abort();
        const timespec period{0, static_cast<long>(period_us) * 1000};
        const itimerspec times{period, period};
        timer_settime(timer_, 0, &times, nullptr);
    }
    ~FakeModule() {
        timer_delete(timer_);
        sigaction(SIGUSR2, &before_, nullptr);
        sigaltstack(&stack_before_, nullptr);
    }
    FakeModule(const FakeModule&) = delete;
    FakeModule& operator=(const FakeModule&) = delete;

  private:
    static inline Target* asked_;

    timer_t timer_;
    struct sigaction before_;
    // The handler writes below the interrupted code's red zone. On the same stack it would
    // overwrite the end of the signal's own frame; without that end the kernel restores only the
    // SSE state.
    char handlers_stack_[1 << 16];
    stack_t stack_before_;

    static void enter(int, siginfo_t*, void* context) {
        auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
        const auto instruction = static_cast<std::uint64_t>(registers[REG_RIP]);
        if (!is_preemptible(reinterpret_cast<const void*>(instruction)) || detail::own.held != 0) return;
        (void)asked_->word.ask(1);
        registers[REG_RSP] -= TEFF_PREEMPT_RED_ZONE + sizeof instruction;
        *reinterpret_cast<std::uint64_t*>(registers[REG_RSP]) = instruction;
        registers[REG_RIP] = reinterpret_cast<greg_t>(&tick_entry);
    }
};

} // namespace teff::preempt
