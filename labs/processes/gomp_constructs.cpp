// SPDX-License-Identifier: Apache-2.0
// The entry points for parallel, barrier, sections, single, critical, ordered, atomic and cancel.
#include "abi/export.h"
#include "processes/link.h"
#include "processes/locks.h"
#include "processes/loops.h"
#include "processes/missing.h"
#include "processes/reductions.h"
#include "processes/tasks.h"
#include "processes/team.h"

using namespace teff::processes;
using region::Body;

TEFF_EXPORT void GOMP_parallel(Body body, void* data, unsigned threads, unsigned) { region::run(body, data, threads); }
TEFF_EXPORT void GOMP_parallel_start(Body body, void* data, unsigned threads) { region::begin(body, data, threads); }
TEFF_EXPORT void GOMP_parallel_end() { region::end(); }

TEFF_EXPORT void GOMP_barrier() { region::barrier(); }
TEFF_EXPORT bool GOMP_barrier_cancel() { return region::barrier(), false; }
TEFF_EXPORT bool GOMP_cancel(int, bool) { return false; } // OMP_CANCELLATION is refused at the start
TEFF_EXPORT bool GOMP_cancellation_point(int) { return false; }

TEFF_EXPORT unsigned GOMP_sections_start(unsigned count) { return loops::start_sections(count); }
TEFF_EXPORT unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* blocks, void** memory) {
    loops::meet(loops::sections(count));
    reductions::begin_worksharing(blocks, memory);
    return loops::next_section();
}
TEFF_EXPORT unsigned GOMP_sections_next() { return loops::next_section(); }
TEFF_EXPORT void GOMP_sections_end() { region::barrier(); }
TEFF_EXPORT void GOMP_sections_end_nowait() {}
TEFF_EXPORT bool GOMP_sections_end_cancel() { return region::barrier(), false; }
TEFF_EXPORT void GOMP_parallel_sections_start(Body body, void* data, unsigned threads, unsigned count) {
    const loops::Loop loop = loops::sections(count);
    region::begin(body, data, threads, &loop);
}
TEFF_EXPORT void GOMP_parallel_sections(Body body, void* data, unsigned threads, unsigned count, unsigned) {
    const loops::Loop loop = loops::sections(count);
    region::run(body, data, threads, &loop);
}

TEFF_EXPORT bool GOMP_single_start() { return loops::single(); }
TEFF_EXPORT void* GOMP_single_copy_start() { return loops::single_copy(); }
TEFF_EXPORT void GOMP_single_copy_end(void* data) { loops::give_copy(data); }
TEFF_EXPORT void GOMP_scope_start(std::uintptr_t* blocks) { reductions::begin_worksharing(blocks, nullptr); }

TEFF_EXPORT void GOMP_ordered_start() { loops::begin_ordered(); }
TEFF_EXPORT void GOMP_ordered_end() { loops::end_ordered(); }

TEFF_EXPORT void GOMP_critical_start() { locks::lock(locks::kCritical); }
TEFF_EXPORT void GOMP_critical_end() { locks::unlock(locks::kCritical); }
TEFF_EXPORT void GOMP_critical_name_start(void** name) { locks::lock(locks::key(name)); }
TEFF_EXPORT void GOMP_critical_name_end(void** name) { locks::unlock(locks::key(name)); }
TEFF_EXPORT void GOMP_atomic_start() { locks::lock(locks::kAtomic); }
TEFF_EXPORT void GOMP_atomic_end() { locks::unlock(locks::kAtomic); }
