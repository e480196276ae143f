// SPDX-License-Identifier: Apache-2.0
//
// Threads and mutexes of POSIX. A thread of the program's own could write to pages that a flush
// gives
// up at the same time: none is started. A mutex of the program is taken at the hub while there are
// other processes in the region; outside of regions, and for the system's libraries, it is what it
// always is.
#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

#include "abi/export.h"
#include "processes/link.h"
#include "processes/locks.h"
#include "processes/memory.h"
#include "processes/missing.h"
#include "processes/modules.h"
#include "processes/real_threads.h"
#include "processes/run.h"
#include "processes/team.h"

using namespace teff::processes;

namespace {

template <class Function> Function next(Function& kept, const char* name) {
    if (kept == nullptr) kept = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    return kept;
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using OnMutex = int (*)(pthread_mutex_t*);
constinit Create create = nullptr;
constinit OnMutex lock = nullptr, try_lock = nullptr, unlock = nullptr;

bool is_for_hub(const void* mutex, const void* caller) {
    return link::is_connected() && region::members_here() > 1 && !modules::is_private_code(caller) &&
           memory::is_shared(mutex);
}

} // namespace

int teff::processes::real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*)) {
    return next(create, "pthread_create")(thread, attributes, body, nullptr);
}

TEFF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                               void* argument) {
    if (run::is_shared() && run::number_of_processes() > 1 && !modules::is_private_code(__builtin_return_address(0)))
        missing("a thread that the program starts by itself (pthread_create)");
    return next(create, "pthread_create")(thread, attributes, body, argument);
}

TEFF_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
    if (!is_for_hub(mutex, __builtin_return_address(0))) return next(lock, "pthread_mutex_lock")(mutex);
    return locks::lock(locks::key(mutex)), 0;
}
TEFF_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    if (!is_for_hub(mutex, __builtin_return_address(0))) return next(try_lock, "pthread_mutex_trylock")(mutex);
    return locks::try_lock(locks::key(mutex)) ? 0 : EBUSY;
}
TEFF_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
    if (!is_for_hub(mutex, __builtin_return_address(0))) return next(unlock, "pthread_mutex_unlock")(mutex);
    return locks::unlock(locks::key(mutex)), 0;
}
