// SPDX-License-Identifier: Apache-2.0
//
// Symbols of libgomp whose constructs Teff does not have yet. Each ends the program with one line that names it, which is better than a
// program that does not start: most programs that are linked with one of these never call it.
#include <cstdint>

#include "abi/export.h"
#include "base/report.h"

using namespace teff;

using Ull = unsigned long long;

TEFF_EXPORT bool GOMP_loop_doacross_static_start(unsigned, long*, long, long*, long*) {
    base::fatal(0, "GOMP_loop_doacross_static_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_doacross_dynamic_start(unsigned, long*, long, long*, long*) {
    base::fatal(0, "GOMP_loop_doacross_dynamic_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_doacross_guided_start(unsigned, long*, long, long*, long*) {
    base::fatal(0, "GOMP_loop_doacross_guided_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned, long*, long*, long*) {
    base::fatal(0, "GOMP_loop_doacross_runtime_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_doacross_start(unsigned, long*, long, long, long*, long*, std::uintptr_t*, void**) {
    base::fatal(0, "GOMP_loop_doacross_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_static_start(unsigned, Ull*, Ull, Ull*, Ull*) {
    base::fatal(0, "GOMP_loop_ull_doacross_static_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_dynamic_start(unsigned, Ull*, Ull, Ull*, Ull*) {
    base::fatal(0, "GOMP_loop_ull_doacross_dynamic_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_guided_start(unsigned, Ull*, Ull, Ull*, Ull*) {
    base::fatal(0, "GOMP_loop_ull_doacross_guided_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned, Ull*, Ull*, Ull*) {
    base::fatal(0, "GOMP_loop_ull_doacross_runtime_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT bool GOMP_loop_ull_doacross_start(unsigned, Ull*, long, Ull, Ull*, Ull*, std::uintptr_t*, void**) {
    base::fatal(0, "GOMP_loop_ull_doacross_start is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT void GOMP_doacross_post(long*) {
    base::fatal(0, "GOMP_doacross_post is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT void GOMP_doacross_wait(long, ...) {
    base::fatal(0, "GOMP_doacross_wait is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT void GOMP_doacross_ull_post(Ull*) {
    base::fatal(0, "GOMP_doacross_ull_post is not implemented yet: the program uses doacross loops");
}

TEFF_EXPORT void GOMP_doacross_ull_wait(Ull, ...) {
    base::fatal(0, "GOMP_doacross_ull_wait is not implemented yet: the program uses doacross loops");
}
