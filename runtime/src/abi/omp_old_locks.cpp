// SPDX-License-Identifier: Apache-2.0
// The lock routines of programs built before OpenMP 3.0 (GCC 4.3 and earlier), in symbol version
// OMP_1.0.
//
// A simple lock is the same as in later versions. A nest lock has 8 bytes and is owned by a thread.
// Fortran's variables of both lock kinds contain the lock itself, also for a nest lock.
#include <new>

#include "abi/export.h"
#include "abi/program_locks.h"

using namespace teff;
using abi::MutexKind;
using sync::OldNestLock;
using sync::ProgramLock;

#define TEFF_OLD_VERSION(name) __asm__(".symver old_" #name ", " #name "@OMP_1.0")

TEFF_EXPORT void old_omp_init_lock(void* lock) {
    ::new (lock) ProgramLock;
    abi::told_init(lock, MutexKind::kLock, TEFF_SITE);
}
TEFF_EXPORT void old_omp_destroy_lock(ProgramLock* lock) { abi::told_destroy(lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void old_omp_set_lock(ProgramLock* lock) { abi::lock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void old_omp_unset_lock(ProgramLock* lock) { abi::unlock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT int old_omp_test_lock(ProgramLock* lock) { return abi::try_lock(*lock, TEFF_SITE); }

TEFF_EXPORT void old_omp_init_nest_lock(void* lock) {
    ::new (lock) OldNestLock;
    abi::told_init(lock, MutexKind::kNestLock, TEFF_SITE);
}
TEFF_EXPORT void old_omp_destroy_nest_lock(OldNestLock* lock) {
    abi::told_destroy(lock, MutexKind::kNestLock, TEFF_SITE);
}
TEFF_EXPORT void old_omp_set_nest_lock(OldNestLock* lock) { abi::set(*lock, TEFF_SITE); }
TEFF_EXPORT void old_omp_unset_nest_lock(OldNestLock* lock) { abi::unset(*lock, TEFF_SITE); }
TEFF_EXPORT int old_omp_test_nest_lock(OldNestLock* lock) { return abi::test(*lock, TEFF_SITE); }

TEFF_EXPORT void old_omp_init_lock_(void* lock) {
    ::new (lock) ProgramLock;
    abi::told_init(lock, MutexKind::kLock, TEFF_SITE);
}
TEFF_EXPORT void old_omp_destroy_lock_(ProgramLock* lock) { abi::told_destroy(lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void old_omp_set_lock_(ProgramLock* lock) { abi::lock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void old_omp_unset_lock_(ProgramLock* lock) { abi::unlock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT int old_omp_test_lock_(ProgramLock* lock) { return abi::try_lock(*lock, TEFF_SITE); }

TEFF_EXPORT void old_omp_init_nest_lock_(void* lock) {
    ::new (lock) OldNestLock;
    abi::told_init(lock, MutexKind::kNestLock, TEFF_SITE);
}
TEFF_EXPORT void old_omp_destroy_nest_lock_(OldNestLock* lock) {
    abi::told_destroy(lock, MutexKind::kNestLock, TEFF_SITE);
}
TEFF_EXPORT void old_omp_set_nest_lock_(OldNestLock* lock) { abi::set(*lock, TEFF_SITE); }
TEFF_EXPORT void old_omp_unset_nest_lock_(OldNestLock* lock) { abi::unset(*lock, TEFF_SITE); }
TEFF_EXPORT int old_omp_test_nest_lock_(OldNestLock* lock) { return abi::test(*lock, TEFF_SITE); }

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
