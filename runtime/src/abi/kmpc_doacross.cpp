// SPDX-License-Identifier: Apache-2.0
// __kmpc_doacross_*: loops with cross-iteration dependences, as LLVM's compilers call them.
#include <cstddef>
#include <cstdint>

#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "loop/doacross_nest.h"
#include "team/team.h"

using namespace teff;
using abi::kmpc::Ident;
using loop::DoacrossNest;
using team::current_worker;

using S32 = std::int32_t;

// The loops as the compiler describes them (kmp_dim).
static_assert(sizeof(loop::NestLoop) == 24 && offsetof(loop::NestLoop, step) == 16);

TEFF_EXPORT void __kmpc_doacross_init(Ident*, S32, S32 count, const loop::NestLoop* loops) {
    DoacrossNest::enter(current_worker(), {loops, static_cast<std::size_t>(count)}, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_doacross_wait(Ident*, S32, const std::int64_t* position) {
    team::Worker& worker = current_worker();
    if (DoacrossNest* const nest = worker.member->loop.nest) nest->wait(worker, position, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_doacross_post(Ident*, S32, const std::int64_t* position) {
    team::Worker& worker = current_worker();
    if (DoacrossNest* const nest = worker.member->loop.nest) nest->post(worker, position);
}
TEFF_EXPORT void __kmpc_doacross_fini(Ident*, S32) { DoacrossNest::leave(current_worker()); }
