// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <pthread.h>
#include <threads.h>

#include "preempt/hold.h"
#include "preempt/interpose.h"

namespace teff::preempt {

namespace {

// The previous owner died with it: it is taken all the same.
bool is_taken(int result) { return result == 0 || result == EOWNERDEAD; }

// The hold begins when the lock is taken already, and ends when it is given back: in between, the
// thread is in code that is not preemptible.
template <auto Real> struct Takes;
template <bool nothrow, class... Arguments, int (*Real)(Arguments...) noexcept(nothrow)> struct Takes<Real> {
    static int call(Arguments... arguments) {
        const int result = Real(arguments...);
        if (is_taken(result)) hold();
        return result;
    }
};

template <auto Real> struct GivesBack;
template <bool nothrow, class... Arguments, int (*Real)(Arguments...) noexcept(nothrow)> struct GivesBack<Real> {
    static int call(Arguments... arguments) {
        const int result = Real(arguments...);
        if (result == 0) release(__builtin_return_address(0));
        return result;
    }
};

void take_file(FILE* file) {
    flockfile(file);
    hold();
}

void give_file_back(FILE* file) {
    funlockfile(file);
    release(__builtin_return_address(0));
}

template <auto Real> Interposed takes(const char* name) { return {name, address_of(&Takes<Real>::call)}; }
template <auto Real> Interposed gives_back(const char* name) { return {name, address_of(&GivesBack<Real>::call)}; }

} // namespace

std::span<const Interposed> interposed_locks() {
    static const Interposed kLocks[] = {
        takes<&pthread_mutex_lock>("pthread_mutex_lock"),
        takes<&pthread_mutex_trylock>("pthread_mutex_trylock"),
        takes<&pthread_mutex_timedlock>("pthread_mutex_timedlock"),
        takes<&pthread_mutex_clocklock>("pthread_mutex_clocklock"),
        gives_back<&pthread_mutex_unlock>("pthread_mutex_unlock"),
        takes<&pthread_rwlock_rdlock>("pthread_rwlock_rdlock"),
        takes<&pthread_rwlock_tryrdlock>("pthread_rwlock_tryrdlock"),
        takes<&pthread_rwlock_timedrdlock>("pthread_rwlock_timedrdlock"),
        takes<&pthread_rwlock_clockrdlock>("pthread_rwlock_clockrdlock"),
        takes<&pthread_rwlock_wrlock>("pthread_rwlock_wrlock"),
        takes<&pthread_rwlock_trywrlock>("pthread_rwlock_trywrlock"),
        takes<&pthread_rwlock_timedwrlock>("pthread_rwlock_timedwrlock"),
        takes<&pthread_rwlock_clockwrlock>("pthread_rwlock_clockwrlock"),
        gives_back<&pthread_rwlock_unlock>("pthread_rwlock_unlock"),
        takes<&pthread_spin_lock>("pthread_spin_lock"),
        takes<&pthread_spin_trylock>("pthread_spin_trylock"),
        gives_back<&pthread_spin_unlock>("pthread_spin_unlock"),
        takes<&mtx_lock>("mtx_lock"),
        takes<&mtx_trylock>("mtx_trylock"),
        takes<&mtx_timedlock>("mtx_timedlock"),
        gives_back<&mtx_unlock>("mtx_unlock"),
        {"flockfile", address_of(&take_file)},
        takes<&ftrylockfile>("ftrylockfile"),
        {"funlockfile", address_of(&give_file_back)},
    };
    return kLocks;
}

} // namespace teff::preempt
