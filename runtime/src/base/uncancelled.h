// SPDX-License-Identifier: Apache-2.0
// Prevents pthread_cancel from cancelling the thread inside calls of the C
// library.
#pragma once

#include <pthread.h>

namespace teff::base {

// While an object of this class lives, a pthread_cancel of this thread is delayed. Use it around
// calls of the C library that are cancellation points (open, read, write, ...): the thread is in
// the middle of the runtime at such a call, and OpenMP's constructs and routines are not
// cancellation points of POSIX.
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
