// SPDX-License-Identifier: Apache-2.0
//
// WithoutSignals: blocks all signals during a block of code.
//
// Signals are blocked while pages are dropped and mapped again, because a handler of the program
// might write to one of these pages. Signals are delivered where this process waits (link.cpp).
#pragma once

#include <csignal>

namespace teff::processes {

class WithoutSignals {
  public:
    WithoutSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    WithoutSignals(const WithoutSignals&) = delete;
    WithoutSignals& operator=(const WithoutSignals&) = delete;

    const sigset_t& before() const { return before_; }

  private:
    sigset_t before_;
};

} // namespace teff::processes
