/* SPDX-License-Identifier: Apache-2.0 */
#include "body.h"

#include "common/hash.h"

enum { BODY_ROUNDS = 30 };

bool body_counting;
long bodies_run;
const char* body_fault;

/* Never inlined: it must take as long inside a construct as alone. */
__attribute__((noinline)) void body(void) {
    if (body_counting) {
        __atomic_fetch_add(&bodies_run, 1, __ATOMIC_RELAXED);
        return;
    }
    const uint64_t value = hash_chain((uintptr_t)&bodies_run, BODY_ROUNDS);
    __asm__ volatile("" : : "r"(value));
}
