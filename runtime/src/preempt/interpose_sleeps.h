// SPDX-License-Identifier: Apache-2.0
// Prevents Teff's signal from reaching a thread while the thread is in a call
// that may sleep.
#pragma once

#include "preempt/hold.h"

namespace teff::preempt {

// While an Asleep lives, requests find the thread asleep, and Teff's signal stays blocked. Its
// destructor looks for requests that came meanwhile. Does nothing on a thread that is not
// registered.
class Asleep {
  public:
    explicit Asleep(const void* caller);
    ~Asleep();
    Asleep(const Asleep&) = delete;
    Asleep& operator=(const Asleep&) = delete;

  private:
    const void* const caller_;
    Target* const target_;
    bool masked_ = false; // the signal was blocked by this object
};

} // namespace teff::preempt
