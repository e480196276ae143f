// SPDX-License-Identifier: Apache-2.0
//
// WithoutSignals: keeps all signals out of a block.
//
// They stay out while pages come and go: a handler of the program might write to one. They come in
// where this process waits (link.cpp).
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
