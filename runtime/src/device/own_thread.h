// SPDX-License-Identifier: Apache-2.0
//
// Threads of the runtime's own for devices, on the host and on a device. The program's handlers of
// signals do not run on them.
#pragma once

#include <csignal>
#include <pthread.h>

namespace teff::device {

// Starts a thread that nobody joins, and sets `thread`. Returns an errno, 0 if it has begun.
inline int start_own_thread(void* (*body)(void*), void* argument, pthread_t& thread) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, nullptr, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error == 0) pthread_detach(thread);
    return error;
}

} // namespace teff::device
