// SPDX-License-Identifier: Apache-2.0
// The lock routines, for C and Fortran, of OpenMP 3.0 and later.
//
// Fortran's omp_lock_kind has 4 bytes: the lock itself. Its omp_nest_lock_kind has 8, too few for a nest lock: it holds the address of one.
#include <cerrno>
#include <cstdlib>
#include <new>

#include "abi/export.h"
#include "abi/lock_owner.h"
#include "abi/recorded_lock.h"
#include "base/report.h"
#include "sync/omp_lock.h"

using namespace teff;
using sync::Mutex;
using sync::NestLock;

namespace {

void set(NestLock* lock, base::CallSite site) {
    lock->set(abi::lock_owner(), [site](Mutex& mutex) { abi::lock(mutex, TEFF_WAIT_LOCK, site); });
}

NestLock* new_nest_lock() {
    void* memory = std::malloc(sizeof(NestLock));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for a nest lock");
    return ::new (memory) NestLock;
}

} // namespace

TEFF_EXPORT void omp_init_lock(void* lock) { ::new (lock) Mutex; }
TEFF_EXPORT void omp_destroy_lock(Mutex*) {}
TEFF_EXPORT void omp_set_lock(Mutex* lock) { abi::lock(*lock, TEFF_WAIT_LOCK, TEFF_SITE); }
TEFF_EXPORT void omp_unset_lock(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { lock->unlock(); }
TEFF_EXPORT int omp_test_lock(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { return lock->try_lock(); }

TEFF_EXPORT void omp_init_nest_lock(void* lock) { ::new (lock) NestLock; }
TEFF_EXPORT void omp_destroy_nest_lock(NestLock*) {}
TEFF_EXPORT void omp_set_nest_lock(NestLock* lock) { set(lock, TEFF_SITE); }
TEFF_EXPORT void omp_unset_nest_lock(NestLock* lock) { lock->unset(); }
TEFF_EXPORT int omp_test_nest_lock(NestLock* lock) { return lock->try_set(abi::lock_owner()); }

TEFF_EXPORT void omp_init_lock_(void* lock) { ::new (lock) Mutex; }
TEFF_EXPORT void omp_destroy_lock_(Mutex*) {}
TEFF_EXPORT void omp_set_lock_(Mutex* lock) { abi::lock(*lock, TEFF_WAIT_LOCK, TEFF_SITE); }
TEFF_EXPORT void omp_unset_lock_(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { lock->unlock(); }
TEFF_EXPORT int omp_test_lock_(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { return lock->try_lock(); }

TEFF_EXPORT void omp_init_nest_lock_(NestLock** lock) { *lock = new_nest_lock(); }

TEFF_EXPORT void omp_destroy_nest_lock_(NestLock** lock) {
    std::free(*lock);
    *lock = nullptr;
}

TEFF_EXPORT void omp_set_nest_lock_(NestLock** lock) { set(*lock, TEFF_SITE); }
TEFF_EXPORT void omp_unset_nest_lock_(NestLock** lock) { (*lock)->unset(); }
TEFF_EXPORT int omp_test_nest_lock_(NestLock** lock) { return (*lock)->try_set(abi::lock_owner()); }

// The linker would give a plain name to the first version node that lists it, which for these is OMP_1.0 (omp_old_locks.cpp).
#define TEFF_DEFAULT_VERSION(name) __asm__(".symver " #name ", " #name "@@@OMP_3.0")

TEFF_DEFAULT_VERSION(omp_init_lock);
TEFF_DEFAULT_VERSION(omp_destroy_lock);
TEFF_DEFAULT_VERSION(omp_set_lock);
TEFF_DEFAULT_VERSION(omp_unset_lock);
TEFF_DEFAULT_VERSION(omp_test_lock);
TEFF_DEFAULT_VERSION(omp_init_nest_lock);
TEFF_DEFAULT_VERSION(omp_destroy_nest_lock);
TEFF_DEFAULT_VERSION(omp_set_nest_lock);
TEFF_DEFAULT_VERSION(omp_unset_nest_lock);
TEFF_DEFAULT_VERSION(omp_test_nest_lock);

TEFF_DEFAULT_VERSION(omp_init_lock_);
TEFF_DEFAULT_VERSION(omp_destroy_lock_);
TEFF_DEFAULT_VERSION(omp_set_lock_);
TEFF_DEFAULT_VERSION(omp_unset_lock_);
TEFF_DEFAULT_VERSION(omp_test_lock_);
TEFF_DEFAULT_VERSION(omp_init_nest_lock_);
TEFF_DEFAULT_VERSION(omp_destroy_nest_lock_);
TEFF_DEFAULT_VERSION(omp_set_nest_lock_);
TEFF_DEFAULT_VERSION(omp_unset_nest_lock_);
TEFF_DEFAULT_VERSION(omp_test_nest_lock_);
