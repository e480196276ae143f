// SPDX-License-Identifier: Apache-2.0
// The lock routines of programs built before OpenMP 3.0 (GCC 4.3 and earlier), in symbol version OMP_1.0.
//
// A simple lock is as today; a nest lock has 8 bytes and belongs to a thread. Fortran's kinds hold both in place.
#include <new>

#include "abi/export.h"
#include "abi/recorded_lock.h"
#include "sync/omp_lock.h"

using namespace teff;
using sync::Mutex;
using sync::OldNestLock;

namespace {

std::uint32_t thread_id() { return static_cast<std::uint32_t>(gettid()); }

} // namespace

#define TEFF_OLD_VERSION(name) __asm__(".symver old_" #name ", " #name "@OMP_1.0")

TEFF_EXPORT void old_omp_init_lock(void* lock) { ::new (lock) Mutex; }
TEFF_EXPORT void old_omp_destroy_lock(Mutex*) {}
TEFF_EXPORT void old_omp_set_lock(Mutex* lock) { abi::lock(*lock, TEFF_WAIT_LOCK, TEFF_SITE); }
TEFF_EXPORT void old_omp_unset_lock(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { lock->unlock(); }
TEFF_EXPORT int old_omp_test_lock(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { return lock->try_lock(); }

TEFF_EXPORT void old_omp_init_nest_lock(void* lock) { ::new (lock) OldNestLock; }
TEFF_EXPORT void old_omp_destroy_nest_lock(OldNestLock*) {}
TEFF_EXPORT void old_omp_set_nest_lock(OldNestLock* lock) { lock->set(thread_id()); }
TEFF_EXPORT void old_omp_unset_nest_lock(OldNestLock* lock) { lock->unset(); }
TEFF_EXPORT int old_omp_test_nest_lock(OldNestLock* lock) { return lock->try_set(thread_id()); }

TEFF_EXPORT void old_omp_init_lock_(void* lock) { ::new (lock) Mutex; }
TEFF_EXPORT void old_omp_destroy_lock_(Mutex*) {}
TEFF_EXPORT void old_omp_set_lock_(Mutex* lock) { abi::lock(*lock, TEFF_WAIT_LOCK, TEFF_SITE); }
TEFF_EXPORT void old_omp_unset_lock_(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { lock->unlock(); }
TEFF_EXPORT int old_omp_test_lock_(Mutex* lock) TEFF_LOCK_CROSSES_CALLS { return lock->try_lock(); }

TEFF_EXPORT void old_omp_init_nest_lock_(void* lock) { ::new (lock) OldNestLock; }
TEFF_EXPORT void old_omp_destroy_nest_lock_(OldNestLock*) {}
TEFF_EXPORT void old_omp_set_nest_lock_(OldNestLock* lock) { lock->set(thread_id()); }
TEFF_EXPORT void old_omp_unset_nest_lock_(OldNestLock* lock) { lock->unset(); }
TEFF_EXPORT int old_omp_test_nest_lock_(OldNestLock* lock) { return lock->try_set(thread_id()); }

TEFF_OLD_VERSION(omp_init_lock);
TEFF_OLD_VERSION(omp_destroy_lock);
TEFF_OLD_VERSION(omp_set_lock);
TEFF_OLD_VERSION(omp_unset_lock);
TEFF_OLD_VERSION(omp_test_lock);
TEFF_OLD_VERSION(omp_init_nest_lock);
TEFF_OLD_VERSION(omp_destroy_nest_lock);
TEFF_OLD_VERSION(omp_set_nest_lock);
TEFF_OLD_VERSION(omp_unset_nest_lock);
TEFF_OLD_VERSION(omp_test_nest_lock);

TEFF_OLD_VERSION(omp_init_lock_);
TEFF_OLD_VERSION(omp_destroy_lock_);
TEFF_OLD_VERSION(omp_set_lock_);
TEFF_OLD_VERSION(omp_unset_lock_);
TEFF_OLD_VERSION(omp_test_lock_);
TEFF_OLD_VERSION(omp_init_nest_lock_);
TEFF_OLD_VERSION(omp_destroy_nest_lock_);
TEFF_OLD_VERSION(omp_set_nest_lock_);
TEFF_OLD_VERSION(omp_unset_nest_lock_);
TEFF_OLD_VERSION(omp_test_nest_lock_);
