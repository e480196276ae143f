// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: the lock routines, as Intel's compilers call them in place of omp_*. A lock of either
// kind has 8 bytes. A simple lock lies in them; a nest lock's address does, as in LLVM's omp.h.
// Hints have no effect.
#include <cstdint>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/program_locks.h"

using namespace teff;
using abi::MutexKind;
using abi::kmpc::Ident;
using sync::NestLock;
using sync::ProgramLock;

using S32 = std::int32_t;
using Hint = std::uint64_t;

extern "C" {
void omp_init_lock(void* lock);
void omp_init_lock_(void* lock);
void omp_init_nest_lock_(NestLock** lock);
void omp_destroy_nest_lock_(NestLock** lock);
}

TEFF_EXPORT void __kmpc_init_lock(Ident*, S32, void* lock) { omp_init_lock(lock); }
TEFF_EXPORT void __kmpc_init_lock_with_hint(Ident*, S32, void* lock, Hint) { omp_init_lock(lock); }
TEFF_EXPORT void __kmpc_destroy_lock(Ident*, S32, ProgramLock* lock) {
    abi::told_destroy(lock, MutexKind::kLock, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_set_lock(Ident*, S32, ProgramLock* lock) { abi::lock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT void __kmpc_unset_lock(Ident*, S32, ProgramLock* lock) { abi::unlock(*lock, MutexKind::kLock, TEFF_SITE); }
TEFF_EXPORT S32 __kmpc_test_lock(Ident*, S32, ProgramLock* lock) { return abi::try_lock(*lock, TEFF_SITE); }

TEFF_EXPORT void __kmpc_init_nest_lock(Ident*, S32, NestLock** lock) { omp_init_nest_lock_(lock); }
TEFF_EXPORT void __kmpc_init_nest_lock_with_hint(Ident*, S32, NestLock** lock, Hint) { omp_init_nest_lock_(lock); }
TEFF_EXPORT void __kmpc_destroy_nest_lock(Ident*, S32, NestLock** lock) { omp_destroy_nest_lock_(lock); }
TEFF_EXPORT void __kmpc_set_nest_lock(Ident*, S32, NestLock** lock) { abi::set(**lock, TEFF_SITE); }
TEFF_EXPORT void __kmpc_unset_nest_lock(Ident*, S32, NestLock** lock) { abi::unset(**lock, TEFF_SITE); }
TEFF_EXPORT S32 __kmpc_test_nest_lock(Ident*, S32, NestLock** lock) { return abi::test(**lock, TEFF_SITE); }

TEFF_EXPORT void omp_init_lock_with_hint(void* lock, Hint) { omp_init_lock(lock); }
TEFF_EXPORT void omp_init_lock_with_hint_(void* lock, const Hint*) { omp_init_lock_(lock); }
TEFF_EXPORT void omp_init_nest_lock_with_hint(NestLock** lock, Hint) { omp_init_nest_lock_(lock); }
TEFF_EXPORT void omp_init_nest_lock_with_hint_(NestLock** lock, const Hint*) { omp_init_nest_lock_(lock); }
