// SPDX-License-Identifier: Apache-2.0
// Calls of the C library that a pthread_cancel must not interrupt.
#pragma once

#include <pthread.h>

namespace teff::base {

// While one lives, a pthread_cancel of this thread waits. To stand around calls of the C library
// that are cancellation points (open, read, write, ...): the thread is in the middle of the runtime
// there, and OpenMP's constructs and routines are no cancellation points of POSIX.
class Uncancelled {
  public:
    Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
    Uncancelled(const Uncancelled&) = delete;
    Uncancelled& operator=(const Uncancelled&) = delete;

  private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace teff::base
