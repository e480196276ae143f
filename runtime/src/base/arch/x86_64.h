// SPDX-License-Identifier: Apache-2.0
// What the runtime asks of an x86-64 processor. Another architecture is another file with the same three functions.
#pragma once

#include <cstdint>

namespace teff::base::arch {

// A hint to the processor that this thread is spinning.
inline void cpu_relax() { __builtin_ia32_pause(); }

// The time-stamp counter, read without serialisation (CPUID would trap in a virtual machine and cost microseconds).
inline std::uint64_t read_ticks() { return __builtin_ia32_rdtsc(); }

// The processor on which this thread runs just now.
inline unsigned read_processor() {
    unsigned processor;
    __builtin_ia32_rdtscp(&processor);
    return processor & 0xfffu; // Linux keeps the node number in the bits above
}

} // namespace teff::base::arch
