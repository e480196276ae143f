// SPDX-License-Identifier: Apache-2.0
// How a thread is kept from our signal while it is in a call that may sleep.
#pragma once

#include "preempt/hold.h"

namespace teff::preempt {

// While one lives, requests find the thread asleep, and our signal waits. At its end, it looks at
// what came meanwhile. Does nothing on a thread that is not registered.
class Asleep {
  public:
    explicit Asleep(const void* caller);
    ~Asleep();
    Asleep(const Asleep&) = delete;
    Asleep& operator=(const Asleep&) = delete;

  private:
    const void* const caller_;
    Target* const target_;
    bool masked_ = false; // by us
};

} // namespace teff::preempt
