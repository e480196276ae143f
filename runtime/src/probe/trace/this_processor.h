// SPDX-License-Identifier: Apache-2.0
//
// The processor on which the calling thread runs, for each end of a task: it must cost next to
// nothing. Where the C library has registered its threads for restartable sequences (glibc from
// 2.35 on), the kernel keeps the number in the thread's own memory, and it is one load. Else the
// processor itself is asked (base/arch): 20 to 100 ticks.
//
// `where_processor_is` is set once, before any thread records (look_for_processor). A thread that
// is not registered has a negative number there, and asks the processor. The thread may have moved
// by the time the number is used: the number says where it was.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arch/x86_64.h"
#include "base/cache_line.h"

namespace teff::probe::trace {

// From the thread pointer; 0: there is none.
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
