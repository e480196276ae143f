// SPDX-License-Identifier: Apache-2.0
// The lock routines, for C and Fortran, of OpenMP 3.0 and later.
//
// Fortran's omp_lock_kind has 4 bytes and contains the lock itself. Fortran's omp_nest_lock_kind
// has 8 bytes, too few for a nest lock, so it contains the address of a nest lock.
#include <cerrno>
#include <cstdlib>
#include <new>

#include "abi/export.h"
#include "abi/program_locks.h"
#include "base/report.h"

using namespace teff;
using abi::MutexKind;
using sync::NestLock;
using sync::ProgramLock;

namespace {

NestLock* new_nest_lock() {
    void* memory = std::malloc(sizeof(NestLock));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for a nest lock");
    return ::new (memory) NestLock;
}

} // namespace

TEFF_EXPORT void omp_init_lock(void* lock) {
    ::new (lock) ProgramLock;
    abi::told_init(lock, MutexKind::kLock, TEFF_SITE);
}
TEFF_EXPORT void omp_destroy_lock(ProgramLock* lock) { abi::told_destroy(lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void omp_set_lock(ProgramLock* lock) { abi::lock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void omp_unset_lock(ProgramLock* lock) { abi::unlock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT int omp_test_lock(ProgramLock* lock) { return abi::try_lock(*lock, TEFF_SITE); }

TEFF_EXPORT void omp_init_nest_lock(void* lock) {
    ::new (lock) NestLock;
    abi::told_init(lock, MutexKind::kNestLock, TEFF_SITE);
}
TEFF_EXPORT void omp_destroy_nest_lock(NestLock* lock) { abi::told_destroy(lock, MutexKind::kNestLock, TEFF_SITE); }
TEFF_EXPORT void omp_set_nest_lock(NestLock* lock) { abi::set(*lock, TEFF_SITE); }
TEFF_EXPORT void omp_unset_nest_lock(NestLock* lock) { abi::unset(*lock, TEFF_SITE); }
TEFF_EXPORT int omp_test_nest_lock(NestLock* lock) { return abi::test(*lock, TEFF_SITE); }

TEFF_EXPORT void omp_init_lock_(void* lock) {
    ::new (lock) ProgramLock;
    abi::told_init(lock, MutexKind::kLock, TEFF_SITE);
}
TEFF_EXPORT void omp_destroy_lock_(ProgramLock* lock) { abi::told_destroy(lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void omp_set_lock_(ProgramLock* lock) { abi::lock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void omp_unset_lock_(ProgramLock* lock) { abi::unlock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT int omp_test_lock_(ProgramLock* lock) { return abi::try_lock(*lock, TEFF_SITE); }

TEFF_EXPORT void omp_init_nest_lock_(NestLock** lock) {
    *lock = new_nest_lock();
    abi::told_init(*lock, MutexKind::kNestLock, TEFF_SITE);
}

TEFF_EXPORT void omp_destroy_nest_lock_(NestLock** lock) {
    abi::told_destroy(*lock, MutexKind::kNestLock, TEFF_SITE);
    std::free(*lock);
    *lock = nullptr;
}

TEFF_EXPORT void omp_set_nest_lock_(NestLock** lock) { abi::set(**lock, TEFF_SITE); }
TEFF_EXPORT void omp_unset_nest_lock_(NestLock** lock) { abi::unset(**lock, TEFF_SITE); }
TEFF_EXPORT int omp_test_nest_lock_(NestLock** lock) { return abi::test(**lock, TEFF_SITE); }

// The linker would give a plain name to the first version node that lists it, which for these is
// OMP_1.0 (omp_old_locks.cpp).
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
