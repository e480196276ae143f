// SPDX-License-Identifier: Apache-2.0
// The clock that recordings use, for programs that print the times that a recording should contain.
#pragma once

static inline unsigned long long ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    unsigned long long now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#endif
}

static inline void work_for(unsigned long long span) {
    const unsigned long long began = ticks();
    while (ticks() - began < span) {
    }
}
