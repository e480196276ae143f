// SPDX-License-Identifier: Apache-2.0
//
// The number of the processor on which the calling thread runs. It is read at each end of a task,
// so reading it must cost very little. If the C library has registered its threads for restartable
// sequences (glibc from 2.35 on), the kernel keeps the number in the thread's own memory, and
// reading it is one load. Otherwise an instruction of the processor reads it (base/arch), in 20 to
// 100 ticks.
//
// `where_processor_is` is set once, before any thread records (look_for_processor). A thread that
// is not registered has a negative number there, and uses the instruction. The thread may have
// moved to another processor by the time the number is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arch/arch.h"
#include "base/cache_line.h"

namespace teff::probe::trace {

// The offset of the processor's number from the thread pointer, in bytes; 0 if the kernel keeps no
// number there.
inline constinit std::ptrdiff_t where_processor_is = 0;

void look_for_processor();

inline unsigned this_processor() {
    if (TEFF_LIKELY(where_processor_is != 0)) {
        const auto processor = static_cast<std::int32_t>(base::arch::read_of_thread(where_processor_is));
        if (TEFF_LIKELY(processor >= 0)) return static_cast<unsigned>(processor);
    }
    return base::arch::read_processor();
}

} // namespace teff::probe::trace
