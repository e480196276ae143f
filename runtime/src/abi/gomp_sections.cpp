// SPDX-License-Identifier: Apache-2.0
//
// GOMP_sections_*, the combined parallel sections, GOMP_single_*, and GOMP_scope_start.
#include "abi/export.h"
#include "abi/gomp_reduction.h"
#include "loop/loop.h"
#include "loop/sections.h"

using namespace teff;
using loop::LoopRequest;
using team::current_worker;

namespace {

using Body = void (*)(void*);

region::Construct region_of(Body body, void* data, unsigned threads, unsigned sections, unsigned flags,
                            base::CallSite site) {
    region::Construct construct;
    construct.body = {body, data};
    construct.num_threads = threads;
    construct.proc_bind = flags & 7; // an omp_proc_bind_t
    construct.sections = sections;
    construct.site = site;
    return construct;
}

} // namespace

TEFF_EXPORT unsigned GOMP_sections_start(unsigned count) {
    return loop::sections_start(current_worker(), loop::sections_request(count, TEFF_SITE));
}

TEFF_EXPORT unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
    LoopRequest request = loop::sections_request(count, TEFF_SITE);
    request.reductions = abi::worksharing_reductions(reductions);
    request.memory = memory;
    return loop::sections_start(current_worker(), request);
}

TEFF_EXPORT unsigned GOMP_sections_next() { return loop::sections_next(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_parallel_sections_start(Body body, void* data, unsigned threads, unsigned count) {
    const region::Construct construct = region_of(body, data, threads, count, 0, TEFF_SITE);
    loop::begin_parallel_loop(current_worker(), construct, loop::sections_request(count, TEFF_SITE));
}

TEFF_EXPORT void GOMP_parallel_sections(Body body, void* data, unsigned threads, unsigned count, unsigned flags) {
    const region::Construct construct = region_of(body, data, threads, count, flags, TEFF_SITE);
    loop::run_parallel_loop(current_worker(), construct, loop::sections_request(count, TEFF_SITE));
}

TEFF_EXPORT void GOMP_sections_end() { loop::end(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_sections_end_nowait() { loop::end_nowait(current_worker()); }

TEFF_EXPORT bool GOMP_sections_end_cancel() { return loop::end_cancel(current_worker(), TEFF_SITE); }

TEFF_EXPORT bool GOMP_single_start() { return loop::single_start(current_worker(), TEFF_SITE); }

TEFF_EXPORT void* GOMP_single_copy_start() { return loop::single_copy_start(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_single_copy_end(void* data) { loop::single_copy_end(current_worker(), data, TEFF_SITE); }

TEFF_EXPORT void GOMP_scope_start(std::uintptr_t* reductions) {
    loop::scope_start(current_worker(), abi::worksharing_reductions(reductions), TEFF_SITE);
}
