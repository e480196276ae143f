// SPDX-License-Identifier: Apache-2.0
//
// Names for Clang's thread-safety analysis (-Wthread-safety). They expand to nothing for other
// compilers.
#pragma once

#if defined(__clang__)
#define TEFF_TSA(x) __attribute__((x))
#else
#define TEFF_TSA(x)
#endif

#define TEFF_CAPABILITY(name) TEFF_TSA(capability(name))
#define TEFF_SCOPED_CAPABILITY TEFF_TSA(scoped_lockable)
#define TEFF_GUARDED_BY(lock) TEFF_TSA(guarded_by(lock))
#define TEFF_REQUIRES(...) TEFF_TSA(requires_capability(__VA_ARGS__))
#define TEFF_EXCLUDES(...) TEFF_TSA(locks_excluded(__VA_ARGS__))
#define TEFF_ACQUIRE(...) TEFF_TSA(acquire_capability(__VA_ARGS__))
#define TEFF_RELEASE(...) TEFF_TSA(release_capability(__VA_ARGS__))
#define TEFF_TRY_ACQUIRE(...) TEFF_TSA(try_acquire_capability(__VA_ARGS__))

// For pairs of functions that the program calls: the first returns with the lock held, and the
// second releases it. The analysis cannot follow this.
#define TEFF_LOCK_CROSSES_CALLS TEFF_TSA(no_thread_safety_analysis)
