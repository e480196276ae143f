// SPDX-License-Identifier: Apache-2.0
//
// Threads of POSIX and C11, and their synchronisation. A thread that the program starts could write
// to pages that a flush drops at the same time, so no thread is started. While there are other
// processes in the region, mutexes and spin locks in shared memory are taken at the hub. Condition
// variables, semaphores, barriers and read-write locks cannot work, because the kernel wakes only
// threads of the same process. Outside of regions, and for the system's libraries, all functions
// work as usual.
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "abi/export.h"
#include "processes/interpose.h"
#include "processes/locks.h"
#include "processes/missing.h"
#include "processes/modules.h"
#include "processes/real_threads.h"
#include "processes/report.h"
#include "processes/run.h"
#include "processes/team.h"

using namespace teff::processes;

namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
constinit Create create = nullptr;

// A function of the C library whose argument is an object.
using OnObject = int (*)(void*);

bool is_for_hub(const void* object, const void* caller) {
    return region::is_among_others(object) && !modules::is_private_code(caller);
}

bool is_recursive(const void* mutex) {
    return (static_cast<const pthread_mutex_t*>(mutex)->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE;
}

// The thread owns the mutex, whichever task it runs.
constexpr std::uint64_t kThread = 0;

void lock_object(const void* mutex, bool recursive) {
    if (recursive) locks::lock_nested(locks::key(mutex), kThread);
    else locks::lock(locks::key(mutex));
}
bool try_object(const void* mutex, bool recursive) {
    if (recursive) return locks::try_lock_nested(locks::key(mutex), kThread) != 0;
    return locks::try_lock(locks::key(mutex));
}

// The C library may create threads for itself. Threads of other libraries run the program's code
// (libstdc++) or write to its data.
void refuse_thread(const void* caller) {
    const char* const name = modules::name_of(caller);
    if (std::strncmp(name, "libc.so", 7) == 0) return;
    if (!modules::is_private_code(caller) || std::strncmp(name, "libstdc++", 9) == 0)
        missing("a thread that the program starts by itself (pthread_create, std::thread)");
    fail("%s starts a thread of its own, which is not supported with --processes", name);
}

// Functions in which threads wait for each other. They are refused whichever module calls them,
// because libstdc++ calls them for the program.
template <class... Arguments>
int only_alone(const char* what, const char* name, const void* object, Arguments... arguments) {
    if (region::is_among_others(object)) missing(what);
    return reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_NEXT, name))(arguments...);
}

constexpr const char kCondition[] = "a condition variable that threads of a region share";
constexpr const char kSemaphore[] = "a semaphore that threads of a region share";
constexpr const char kBarrier[] = "a POSIX barrier that threads of a region share";
constexpr const char kReadWrite[] = "a read-write lock that threads of a region share";
constexpr const char kTimed[] = "a mutex that threads of a region wait for with a time limit";

} // namespace

int teff::processes::real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*)) {
    return next(create, "pthread_create")(thread, attributes, body, nullptr);
}

TEFF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                               void* argument) {
    if (run::is_shared() && run::number_of_processes() > 1) refuse_thread(TEFF_CALLER);
    return next(create, "pthread_create")(thread, attributes, body, argument);
}
TEFF_EXPORT int thrd_create(thrd_t* thread, thrd_start_t body, void* argument) {
    if (run::is_shared() && run::number_of_processes() > 1)
        missing("a thread that the program starts by itself (thrd_create)");
    static int (*real)(thrd_t*, thrd_start_t, void*) = nullptr;
    return next(real, "thrd_create")(thread, body, argument);
}

// Mutexes and spin locks. C11's mutex is the same as that of POSIX.

TEFF_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static OnObject real = nullptr;
    if (!is_for_hub(mutex, TEFF_CALLER)) return next(real, "pthread_mutex_lock")(mutex);
    return lock_object(mutex, is_recursive(mutex)), 0;
}
TEFF_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    static OnObject real = nullptr;
    if (!is_for_hub(mutex, TEFF_CALLER)) return next(real, "pthread_mutex_trylock")(mutex);
    return try_object(mutex, is_recursive(mutex)) ? 0 : EBUSY;
}
TEFF_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
    static OnObject real = nullptr;
    if (!is_for_hub(mutex, TEFF_CALLER)) return next(real, "pthread_mutex_unlock")(mutex);
    return locks::unlock(locks::key(mutex)), 0;
}
TEFF_EXPORT int mtx_lock(mtx_t* mutex) {
    static OnObject real = nullptr;
    if (!is_for_hub(mutex, TEFF_CALLER)) return next(real, "mtx_lock")(mutex);
    return lock_object(mutex, is_recursive(mutex)), thrd_success;
}
TEFF_EXPORT int mtx_trylock(mtx_t* mutex) {
    static OnObject real = nullptr;
    if (!is_for_hub(mutex, TEFF_CALLER)) return next(real, "mtx_trylock")(mutex);
    return try_object(mutex, is_recursive(mutex)) ? thrd_success : thrd_busy;
}
TEFF_EXPORT int mtx_unlock(mtx_t* mutex) {
    static OnObject real = nullptr;
    if (!is_for_hub(mutex, TEFF_CALLER)) return next(real, "mtx_unlock")(mutex);
    return locks::unlock(locks::key(mutex)), thrd_success;
}
TEFF_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
    static OnObject real = nullptr;
    if (!is_for_hub(const_cast<int*>(lock), TEFF_CALLER))
        return next(real, "pthread_spin_lock")(const_cast<int*>(lock));
    return lock_object(const_cast<int*>(lock), false), 0;
}
TEFF_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) {
    static OnObject real = nullptr;
    if (!is_for_hub(const_cast<int*>(lock), TEFF_CALLER))
        return next(real, "pthread_spin_trylock")(const_cast<int*>(lock));
    return try_object(const_cast<int*>(lock), false) ? 0 : EBUSY;
}
TEFF_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
    static OnObject real = nullptr;
    if (!is_for_hub(const_cast<int*>(lock), TEFF_CALLER))
        return next(real, "pthread_spin_unlock")(const_cast<int*>(lock));
    return locks::unlock(locks::key(const_cast<int*>(lock))), 0;
}

// Functions that cannot work.

TEFF_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
    return only_alone(kTimed, "pthread_mutex_timedlock", mutex, mutex, until);
}
TEFF_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return only_alone(kCondition, "pthread_cond_wait", condition, condition, mutex);
}
TEFF_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
    return only_alone(kCondition, "pthread_cond_timedwait", condition, condition, mutex, until);
}
TEFF_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* until) {
    return only_alone(kCondition, "pthread_cond_clockwait", condition, condition, mutex, clock, until);
}
TEFF_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
    return only_alone(kCondition, "cnd_wait", condition, condition, mutex);
}
TEFF_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
    return only_alone(kCondition, "cnd_timedwait", condition, condition, mutex, until);
}
TEFF_EXPORT int sem_wait(sem_t* semaphore) { return only_alone(kSemaphore, "sem_wait", semaphore, semaphore); }
TEFF_EXPORT int sem_trywait(sem_t* semaphore) { return only_alone(kSemaphore, "sem_trywait", semaphore, semaphore); }
TEFF_EXPORT int sem_post(sem_t* semaphore) { return only_alone(kSemaphore, "sem_post", semaphore, semaphore); }
TEFF_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
    return only_alone(kSemaphore, "sem_timedwait", semaphore, semaphore, until);
}
TEFF_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
    return only_alone(kBarrier, "pthread_barrier_wait", barrier, barrier);
}
TEFF_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
    return only_alone(kReadWrite, "pthread_rwlock_rdlock", lock, lock);
}
TEFF_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
    return only_alone(kReadWrite, "pthread_rwlock_tryrdlock", lock, lock);
}
TEFF_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
    return only_alone(kReadWrite, "pthread_rwlock_wrlock", lock, lock);
}
TEFF_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
    return only_alone(kReadWrite, "pthread_rwlock_trywrlock", lock, lock);
}
