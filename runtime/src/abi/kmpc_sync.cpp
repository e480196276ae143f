// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: sections, single, masked and critical constructs, and reductions, as LLVM's compilers
// call them.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "abi/program_locks.h"
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

bool has_others() { return current_worker().member->team->size > 1; }

} // namespace

TEFF_EXPORT S32 __kmpc_single(Ident*, S32) { return loop::single_start(current_worker(), TEFF_SITE); }
TEFF_EXPORT void __kmpc_end_single(Ident*, S32) {}

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

TEFF_EXPORT S32 __kmpc_master(Ident*, S32) { return current_worker().member->number == 0; }
TEFF_EXPORT void __kmpc_end_master(Ident*, S32) {}
TEFF_EXPORT S32 __kmpc_masked(Ident*, S32, S32 filter) {
    return static_cast<S32>(current_worker().member->number) == filter;
}
TEFF_EXPORT void __kmpc_end_masked(Ident*, S32) {}
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

// A reduction: each member combines its copies with the originals, one after the other (1). Then it
// calls one of the two functions that follow, of which the first holds the construct's barrier. A
// member without others takes no lock: its program's combiner may contain a reduction again, and
// Clang has one lock for all reductions.
TEFF_EXPORT S32 __kmpc_reduce(Ident*, S32, S32, std::size_t, void*, void (*)(void*, void*), CriticalName* name) {
    if (has_others()) abi::lock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
    return 1;
}
TEFF_EXPORT S32 __kmpc_reduce_nowait(Ident*, S32, S32, std::size_t, void*, void (*)(void*, void*), CriticalName* name) {
    if (has_others()) abi::lock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
    return 1;
}
TEFF_EXPORT void __kmpc_end_reduce(Ident*, S32, CriticalName* name) {
    if (has_others()) abi::unlock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
    region::barrier(current_worker(), region::BarrierKind::kImplicit, false, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_end_reduce_nowait(Ident*, S32, CriticalName* name) {
    if (has_others()) abi::unlock(lock_of(name), MutexKind::kCritical, TEFF_SITE);
}
