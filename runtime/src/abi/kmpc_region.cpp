// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: parallel regions, leagues of teams, barriers and cancellation, as LLVM's compilers call
// them.
//
// The compilers pass the calling thread's number to most functions. It is not used: a task may have
// moved to another thread since the program asked for the number.
#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <utility>

#include "abi/current.h"
#include "abi/export.h"
#include "abi/kmpc_call.h"
#include "abi/omp_routines.h"
#include "base/report.h"
#include "loop/cancel.h"
#include "loop/events.h"
#include "loop/loop.h"
#include "region/events.h"
#include "region/league.h"
#include "region/region.h"

using namespace teff;
using abi::kmpc::Ident;
using abi::kmpc::Microtask;
using team::current_worker;

namespace {

constexpr std::int32_t kWordsRead = 6; // by teff_kmpc_call, in any case

// Code with few arguments is called directly: it does not read registers in which it has none.
constexpr std::int32_t kFew = 3;
using CodeOfFew = void (*)(std::int32_t*, std::int32_t*, void*, void*, void*);

// A region's code and its arguments, which lie on the stack of the construct's entry point until
// the region has ended. `words`: all arguments, if there are more than a few.
struct Fork {
    Microtask code;
    std::int32_t count;
    void* few[kFew];
    void* const* words;
};

void run_code(void* data) {
    const Fork& fork = *static_cast<const Fork*>(data);
    const team::Worker& worker = abi::worker_in_construct();
    auto thread = static_cast<std::int32_t>(worker.number);
    auto member = static_cast<std::int32_t>(worker.member->number);
    if (TEFF_LIKELY(fork.count <= kFew))
        reinterpret_cast<CodeOfFew>(reinterpret_cast<void*>(fork.code))(&thread, &member, fork.few[0], fork.few[1],
                                                                        fork.few[2]);
    else teff_kmpc_call(fork.code, &thread, &member, fork.count, fork.words);
}

// The same while a probe is on.
void run_code_probed(void* data) {
    const Fork& fork = *static_cast<const Fork*>(data);
    const team::Worker& worker = current_worker();
    void** const frame = region::events::exit_frame(worker);
    if (frame == nullptr) return run_code(data);
    auto thread = static_cast<std::int32_t>(worker.number);
    auto member = static_cast<std::int32_t>(worker.member->number);
    void* few[kWordsRead];
    std::copy_n(fork.few, kFew, few);
    teff_kmpc_call_told(fork.code, &thread, &member, fork.count, fork.count <= kFew ? few : fork.words, frame);
}

team::RegionBody body_of(const team::Worker& worker, Fork& fork) {
    return {TEFF_UNLIKELY(worker.probes != 0) ? run_code_probed : run_code, &fork};
}

// Sets only what is used if there are few arguments.
[[gnu::always_inline]] inline Fork few_of(Microtask code, std::int32_t count, void* first, void* second, void* third) {
    Fork fork;
    fork.code = code;
    fork.count = count;
    fork.few[0] = first;
    fork.few[1] = second;
    fork.few[2] = third;
    return fork;
}

// All arguments of `fork`; the first ones are in `fork.few`.
[[gnu::noinline]] void* const* read_words(void** words, const Fork& fork, std::va_list rest) {
    std::copy_n(fork.few, kFew, words);
    for (std::int32_t i = kFew; i < fork.count; ++i)
        words[i] = va_arg(rest, void*);
    return words;
}

std::size_t space_for(std::int32_t count) {
    return static_cast<std::size_t>(std::max(count, kWordsRead)) * sizeof(void*);
}

// The construct with the clauses that were passed ahead. They hold for one construct only.
region::Construct with_clauses(team::Worker& worker, team::RegionBody body, Microtask code, base::CallSite site) {
    const team::ClausesAhead ahead = std::exchange(worker.ahead, {});
    return {.body = body,
            .code = reinterpret_cast<const void*>(code),
            .num_threads = ahead.num_threads,
            .proc_bind = ahead.proc_bind,
            .site = site};
}

void run_league(team::Worker& worker, team::RegionBody body, base::CallSite site) {
    const team::ClausesAhead ahead = std::exchange(worker.ahead, {});
    const auto by_default = [](int asked) { return static_cast<unsigned>(std::max(asked, 0)); };
    const unsigned teams = ahead.teams != 0 ? ahead.teams : std::max(by_default(omp_get_max_teams()), 1u);
    const unsigned limit = ahead.thread_limit != 0 ? ahead.thread_limit : by_default(omp_get_teams_thread_limit());
    const unsigned all = icv::global().kmp_teams_threads;
    if (all == 0) return region::run_league(worker, body, teams, limit, site);
    const unsigned fewer_teams = std::min(teams, all), share = all / fewer_teams;
    region::run_league(worker, body, fewer_teams, limit != 0 ? std::min(limit, share) : share, site);
}

unsigned positive(std::int32_t value) { return value > 0 ? static_cast<unsigned>(value) : 0; }

// Kinds of constructs that are cancelled: 1 parallel, 2 loop, 3 sections, 4 taskgroup.
int cancel_kind(std::int32_t kind) { return 1 << (kind - 1); }

// A program that finds its loop or region cancelled leaves the loop at once. Those of Clang 19 and
// before tell the runtime no more of the loop.
bool leave_if(bool is_cancelled, team::Worker& worker, std::int32_t kind) {
    constexpr std::int32_t kTaskgroup = 4;
    if (is_cancelled && kind != kTaskgroup && worker.member->loop.current != nullptr) loop::end_nowait(worker);
    return is_cancelled;
}

region::BarrierKind kind_of(const Ident* ident) {
    const bool is_implicit = ident != nullptr && (ident->flags & Ident::kImplicitBarrier) != 0;
    return is_implicit ? region::BarrierKind::kImplicit : region::BarrierKind::kExplicit;
}

} // namespace

TEFF_EXPORT std::int32_t __kmpc_global_thread_num(Ident*) { return static_cast<std::int32_t>(current_worker().number); }
TEFF_EXPORT std::int32_t __kmpc_global_num_threads(Ident*) { return omp_get_num_threads(); }
TEFF_EXPORT std::int32_t __kmpc_bound_thread_num(Ident*) { return omp_get_thread_num(); }
TEFF_EXPORT std::int32_t __kmpc_bound_num_threads(Ident*) { return omp_get_num_threads(); }
TEFF_EXPORT std::int32_t __kmpc_in_parallel(Ident*) { return omp_in_parallel(); }
TEFF_EXPORT std::int32_t __kmpc_ok_to_fork(Ident*) { return 1; }
TEFF_EXPORT void __kmpc_begin(Ident*, std::int32_t) {}
TEFF_EXPORT void __kmpc_end(Ident*) {}

TEFF_EXPORT void __kmpc_push_num_threads(Ident*, std::int32_t, std::int32_t threads) {
    current_worker().ahead.num_threads = positive(threads);
}
// Clang 22: it is not checked whether there are fewer threads, as the runtime gives all that are
// asked for if it can. Of a list for nested regions, the first number counts.
TEFF_EXPORT void __kmpc_push_num_threads_strict(Ident*, std::int32_t, std::int32_t threads, int, const char*) {
    current_worker().ahead.num_threads = positive(threads);
}
TEFF_EXPORT void __kmpc_push_num_threads_list(Ident*, std::int32_t, std::uint32_t count, const std::int32_t* threads) {
    if (count != 0) current_worker().ahead.num_threads = positive(threads[0]);
}
TEFF_EXPORT void __kmpc_push_num_threads_list_strict(Ident*, std::int32_t, std::uint32_t count,
                                                     const std::int32_t* threads, int, const char*) {
    if (count != 0) current_worker().ahead.num_threads = positive(threads[0]);
}
TEFF_EXPORT void __kmpc_pop_num_threads(Ident*, std::int32_t) {}
TEFF_EXPORT void __kmpc_push_proc_bind(Ident*, std::int32_t, std::int32_t bind) {
    current_worker().ahead.proc_bind = positive(bind);
}
TEFF_EXPORT void __kmpc_push_num_teams(Ident*, std::int32_t, std::int32_t teams, std::int32_t limit) {
    current_worker().ahead.teams = positive(teams);
    current_worker().ahead.thread_limit = positive(limit);
}
// The league gets the smallest number of teams that is allowed, which costs least. Without a lower
// bound, that is the upper one.
TEFF_EXPORT void __kmpc_push_num_teams_51(Ident*, std::int32_t, std::int32_t lower, std::int32_t upper,
                                          std::int32_t limit) {
    current_worker().ahead.teams = positive(lower > 0 ? lower : upper);
    current_worker().ahead.thread_limit = positive(limit);
}
// target thread_limit(...): the construct is a task of its own, which calls this.
TEFF_EXPORT void __kmpc_set_thread_limit(Ident*, std::int32_t, std::int32_t limit) {
    if (limit > 0) abi::change_icvs([=](icv::TaskIcvs& icvs) { icvs.thread_limit = positive(limit); });
}

// The program passes `count` arguments behind `code`. The first three have names here, as they come
// in registers, whether or not they are there.
TEFF_EXPORT void __kmpc_fork_call(Ident*, std::int32_t count, Microtask code, void* first, void* second, void* third,
                                  ...) {
    Fork fork = few_of(code, count, first, second, third);
    if (TEFF_UNLIKELY(count > kFew)) {
        std::va_list rest;
        va_start(rest, third);
        fork.words = read_words(static_cast<void**>(__builtin_alloca(space_for(count))), fork, rest);
        va_end(rest);
    }
    team::Worker& worker = current_worker();
    region::run(worker, with_clauses(worker, body_of(worker, fork), code, TEFF_SITE));
}

// With a condition that is false, the region has one thread.
TEFF_EXPORT void __kmpc_fork_call_if(Ident*, std::int32_t count, Microtask code, std::int32_t condition,
                                     void* argument) {
    Fork fork{code, std::min(count, 1), {argument}, nullptr};
    team::Worker& worker = current_worker();
    if (condition == 0) worker.ahead.num_threads = 1;
    region::run(worker, with_clauses(worker, body_of(worker, fork), code, TEFF_SITE));
}

// A region of one thread, whose code the program calls between these two functions.
TEFF_EXPORT void __kmpc_serialized_parallel(Ident*, std::int32_t) {
    team::Worker& worker = current_worker();
    region::Construct construct = with_clauses(worker, {}, nullptr, TEFF_SITE);
    construct.num_threads = 1;
    construct.program_calls_body = true;
    region::begin(worker, construct);
}
TEFF_EXPORT void __kmpc_end_serialized_parallel(Ident*, std::int32_t) { region::end(current_worker()); }

TEFF_EXPORT void __kmpc_fork_teams(Ident*, std::int32_t count, Microtask code, void* first, void* second, void* third,
                                   ...) {
    Fork fork = few_of(code, count, first, second, third);
    if (count > kFew) {
        std::va_list rest;
        va_start(rest, third);
        fork.words = read_words(static_cast<void**>(__builtin_alloca(space_for(count))), fork, rest);
        va_end(rest);
    }
    team::Worker& worker = current_worker();
    run_league(worker, body_of(worker, fork), TEFF_SITE);
}

TEFF_EXPORT void __kmpc_barrier(Ident* ident, std::int32_t) {
    region::barrier(current_worker(), kind_of(ident), false, TEFF_SITE);
}
TEFF_EXPORT std::int32_t __kmpc_cancel_barrier(Ident* ident, std::int32_t) {
    return region::barrier(current_worker(), kind_of(ident), true, TEFF_SITE);
}
// A barrier that only member 0 leaves at once; the others leave with end_barrier_master.
TEFF_EXPORT std::int32_t __kmpc_barrier_master(Ident* ident, std::int32_t) {
    region::barrier(current_worker(), kind_of(ident), false, TEFF_SITE);
    if (current_worker().member->number == 0) return 1;
    region::barrier(current_worker(), region::BarrierKind::kImplementation, false, TEFF_SITE);
    return 0;
}
TEFF_EXPORT void __kmpc_end_barrier_master(Ident*, std::int32_t) {
    region::barrier(current_worker(), region::BarrierKind::kImplementation, false, TEFF_SITE);
}
TEFF_EXPORT std::int32_t __kmpc_barrier_master_nowait(Ident* ident, std::int32_t) {
    region::barrier(current_worker(), kind_of(ident), false, TEFF_SITE);
    return current_worker().member->number == 0;
}

TEFF_EXPORT std::int32_t __kmpc_cancel(Ident*, std::int32_t, std::int32_t kind) {
    team::Worker& worker = current_worker();
    return leave_if(loop::cancel(worker, cancel_kind(kind), TEFF_SITE), worker, kind);
}
TEFF_EXPORT std::int32_t __kmpc_cancellationpoint(Ident*, std::int32_t, std::int32_t kind) {
    team::Worker& worker = current_worker();
    return leave_if(loop::cancellation_point(worker, cancel_kind(kind), TEFF_SITE), worker, kind);
}

TEFF_EXPORT void __kmpc_flush(Ident*) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    team::Worker* const worker = team::current_worker_if_any();
    if (worker != nullptr && TEFF_UNLIKELY(worker->probes != 0)) loop::events::flush(*worker, TEFF_SITE);
}
