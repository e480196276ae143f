// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: single, masked, scope and critical constructs, and reductions, as LLVM's compilers call
// them.
#include <cstddef>
#include <cstdint>

#include "abi/current.h"
#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/program_locks.h"
#include "loop/events.h"
#include "loop/sections.h"
#include "region/region.h"
#include "sync/critical.h"

using namespace teff;
using abi::MutexKind;
using abi::kmpc::CriticalName;
using abi::kmpc::Ident;
using team::current_worker;

namespace {

using S32 = std::int32_t;

// Zero at first, which is a free lock.
sync::ProgramLock& lock_of(CriticalName* name) {
    static_assert(sizeof(sync::ProgramLock) <= sizeof(CriticalName));
    return *static_cast<sync::ProgramLock*>(static_cast<void*>(name));
}

void wait_for_all(base::CallSite site) {
    region::barrier(current_worker(), region::BarrierKind::kImplementation, false, site);
}

// Returns 1 to the member that runs the body.
[[gnu::always_inline]] inline S32 meet_masked(S32 filter, base::CallSite site) {
    team::Worker& worker = current_worker();
    if (static_cast<S32>(worker.member->number) != filter) return 0;
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::masked(worker, true, site);
    return 1;
}

[[gnu::always_inline]] inline void end_masked(base::CallSite site) {
    team::Worker& worker = abi::worker_in_construct();
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::masked(worker, false, site);
}

// A reduction: each member combines its copies with the originals, one after the other. A member
// without others takes no lock: its program's combiner may contain a reduction again, and Clang has
// one lock for all reductions.
[[gnu::always_inline]] inline void begin_reduction(CriticalName* name, base::CallSite site) {
    team::Worker& worker = current_worker();
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::reduction(worker, true, site);
    if (worker.member->team->size > 1) abi::lock(lock_of(name), MutexKind::kCritical, site);
}

[[gnu::always_inline]] inline void end_reduction(CriticalName* name, base::CallSite site) {
    team::Worker& worker = abi::worker_in_construct();
    if (worker.member->team->size > 1) abi::unlock(lock_of(name), MutexKind::kCritical, site);
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::reduction(worker, false, site);
}

} // namespace

TEFF_EXPORT S32 __kmpc_single(Ident*, S32) { return loop::single_start(current_worker(), TEFF_SITE); }
TEFF_EXPORT void __kmpc_end_single(Ident*, S32) {
    team::Worker& worker = abi::worker_in_construct();
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::single_ends(worker);
}

// All members call this; `did_it` is not 0 for the one that ran the single construct. It holds both
// barriers of the construct.
TEFF_EXPORT void __kmpc_copyprivate(Ident*, S32, std::size_t, void* data, void (*copy)(void* to, void* from),
                                    S32 did_it) {
    team::Team& team = *current_worker().member->team;
    if (team.size == 1) return;
    if (did_it != 0) team.copyprivate.store(data, std::memory_order_relaxed); // the barrier orders it
    wait_for_all(TEFF_SITE);
    if (did_it == 0) copy(data, team.copyprivate.load(std::memory_order_relaxed));
    wait_for_all(TEFF_SITE);
}
// The same without the copies, which the program makes; the second barrier is the program's.
TEFF_EXPORT void* __kmpc_copyprivate_light(Ident*, S32, void* data) {
    team::Team& team = *current_worker().member->team;
    if (data != nullptr) team.copyprivate.store(data, std::memory_order_relaxed);
    wait_for_all(TEFF_SITE);
    return team.copyprivate.load(std::memory_order_relaxed);
}

TEFF_EXPORT S32 __kmpc_master(Ident*, S32) { return meet_masked(0, TEFF_SITE); }
TEFF_EXPORT void __kmpc_end_master(Ident*, S32) { end_masked(TEFF_SITE); }
TEFF_EXPORT S32 __kmpc_masked(Ident*, S32, S32 filter) { return meet_masked(filter, TEFF_SITE); }
TEFF_EXPORT void __kmpc_end_masked(Ident*, S32) { end_masked(TEFF_SITE); }
TEFF_EXPORT void __kmpc_scope(Ident*, S32, void*) {}
TEFF_EXPORT void __kmpc_end_scope(Ident*, S32, void*) {}

TEFF_EXPORT void __kmpc_critical(Ident*, S32, CriticalName* name) {
    abi::lock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_critical_with_hint(Ident*, S32, CriticalName* name, std::uint32_t) {
    abi::lock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_end_critical(Ident*, S32, CriticalName* name) {
    abi::unlock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
}

// The program combines the member's copies after one of the first two functions (1), and then calls
// one of the two functions that follow, of which the first holds the construct's barrier.
TEFF_EXPORT S32 __kmpc_reduce(Ident*, S32, S32, std::size_t, void*, void (*)(void*, void*), CriticalName* name) {
    return begin_reduction(name, TEFF_SITE), 1;
}
TEFF_EXPORT S32 __kmpc_reduce_nowait(Ident*, S32, S32, std::size_t, void*, void (*)(void*, void*), CriticalName* name) {
    return begin_reduction(name, TEFF_SITE), 1;
}
TEFF_EXPORT void __kmpc_end_reduce(Ident*, S32, CriticalName* name) {
    end_reduction(name, TEFF_SITE);
    region::barrier(current_worker(), region::BarrierKind::kImplicit, false, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_end_reduce_nowait(Ident*, S32, CriticalName* name) { end_reduction(name, TEFF_SITE); }
