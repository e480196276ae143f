// SPDX-License-Identifier: Apache-2.0
//
// __kmpc_*: work-sharing loops, as LLVM's compilers call them. Bounds are inclusive.
//
// The compiler asks for the bounds of a static loop, and runs all its iterations between two calls.
// This costs some arithmetic, and no other thread takes part. Loops of all other kinds, and ordered
// ones, are handed out chunk by chunk (dispatch).
#include <algorithm>
#include <type_traits>

#include "abi/current.h"
#include "abi/export.h"
#include "abi/kmpc_types.h"
#include "loop/events.h"
#include "loop/iterations.h"
#include "loop/loop.h"
#include "loop/ordered.h"
#include "loop/schedules.h"
#include "region/league.h"

using namespace teff;
using abi::kmpc::Ident;
using loop::Span;
using team::current_worker;

namespace kmpc = abi::kmpc;

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

// The values of a loop variable, from `low` to `up` in steps.
template <class Number> struct Values {
    Number low, up;
    std::make_signed_t<Number> step;

    U64 count() const { return loop::Iterations::count_to_inclusive(low, up, step); }
    // Of iteration `number`, modulo 2^64: the loop's own values do not overflow.
    Number value(U64 number) const { return static_cast<Number>(U64(low) + number * static_cast<U64>(S64{step})); }
};

// What a call of for_static_init changes.
template <class Number> struct StaticBounds {
    S32* last; // may be null
    Number *low, *up;
    std::make_signed_t<Number>* stride;
};

// Among whom the iterations are divided.
struct Share {
    unsigned members, member;
};

Share of_team(const team::Worker& worker) { return {worker.member->team->size, worker.member->number}; }
Share of_league(const team::Worker& worker) {
    const region::League& league = region::league_of(*worker.member);
    return {league.teams, league.number};
}

template <class Number>
[[gnu::always_inline]] inline void store(const StaticBounds<Number>& to, const Values<Number>& of, const Span& part) {
    if (part.first != part.last) {
        *to.low = of.value(part.first);
        *to.up = of.value(part.last - 1);
    } else { // no iterations, at any limit of the type
        *to.low = of.step > 0 ? 1 : 0;
        *to.up = of.step > 0 ? 0 : 1;
    }
}

// Blocks of equal size, one for each member, but each a multiple of `vector` iterations.
U64 balanced_chunk(U64 count, unsigned members, U64 vector) {
    const U64 block = count / members + (count % members != 0);
    return std::max<U64>((block + vector - 1) / vector * vector, 1);
}

// One block for each member; `stride` is not used then. Or chunks in turn: the compiler adds
// `stride` to both bounds for the next one, and cuts the last one. If no member has a second chunk,
// `stride` leads to what would follow the last iteration, as the sum of all chunks may overflow.
template <class Number>
[[gnu::always_inline]] inline void divide(const Share& share, const StaticBounds<Number>& bounds,
                                          std::make_signed_t<Number> step, U64 chunk, bool is_balanced) {
    const Values<Number> values{*bounds.low, *bounds.up, step};
    const U64 count = values.count();
    if (TEFF_UNLIKELY(is_balanced)) chunk = balanced_chunk(count, share.members, chunk);
    chunk = std::min(chunk, count);
    const bool in_blocks = chunk == 0 || share.members == 1;
    const Span part = in_blocks ? loop::static_block(count, share.members, share.member)
                                : loop::static_chunk(count, chunk, share.members, share.member, 0);
    const bool is_one_turn = in_blocks || (count - 1) / chunk < share.members;
    const U64 turn = is_one_turn ? count - part.first : chunk * share.members;
    *bounds.stride = static_cast<std::make_signed_t<Number>>(turn * static_cast<U64>(S64{step}));
    const U64 last_chunk = in_blocks || count == 0 ? 0 : (count - 1) / chunk % share.members;
    const bool has_last =
        in_blocks ? part.last == count && part.first != part.last : count != 0 && last_chunk == share.member;
    if (bounds.last != nullptr) *bounds.last = has_last;
    store(bounds, values, part);
}

// Leaves the bounds as they are.
template <class Number>
[[gnu::always_inline]] inline void take_all(const StaticBounds<Number>& bounds, std::make_signed_t<Number> step) {
    const bool is_empty = step > 0 ? *bounds.low > *bounds.up : *bounds.low < *bounds.up;
    *bounds.stride =
        static_cast<std::make_signed_t<Number>>(U64(*bounds.up) - U64(*bounds.low) + static_cast<U64>(S64{step}));
    if (bounds.last != nullptr) *bounds.last = !is_empty;
}

template <class Number>
[[gnu::always_inline]] inline void init_static(team::Worker& worker, S32 schedule, const StaticBounds<Number>& bounds,
                                               std::make_signed_t<Number> step, std::make_signed_t<Number> chunk) {
    const S32 kind = schedule & ~(kmpc::kMonotonic | kmpc::kNonmonotonic);
    if (TEFF_LIKELY(kind == kmpc::kStatic)) {
        const Share share = of_team(worker);
        return share.members == 1 ? take_all(bounds, step) : divide(share, bounds, step, 0, false);
    }
    const bool is_distribute = kind == kmpc::kDistribute || kind == kmpc::kDistributeChunked;
    const bool is_balanced = kind == kmpc::kStaticBalancedChunked;
    const bool is_chunked = kind == kmpc::kStaticChunked || kind == kmpc::kDistributeChunked || is_balanced;
    divide(is_distribute ? of_league(worker) : of_team(worker), bounds, step,
           is_chunked ? static_cast<U64>(std::max<S64>(chunk, 1)) : 0, is_balanced);
}

template <class Number>
TEFF_APART void divide_among_teams(S32 schedule, const StaticBounds<Number>& bounds, std::make_signed_t<Number> step,
                                   std::make_signed_t<Number> chunk) {
    init_static<Number>(current_worker(), schedule, bounds, step, chunk);
}

loop::events::StaticKind kind_of(const Ident* ident, S32 schedule) {
    using loop::events::StaticKind;
    const S32 flags = ident != nullptr ? ident->flags : 0;
    if ((flags & Ident::kSections) != 0) return StaticKind::kSections;
    const S32 kind = schedule & ~(kmpc::kMonotonic | kmpc::kNonmonotonic);
    const bool is_distribute = kind == kmpc::kDistribute || kind == kmpc::kDistributeChunked;
    return is_distribute || (flags & Ident::kDistribute) != 0 ? StaticKind::kDistribute : StaticKind::kLoop;
}

// Does what init_static does, and tells the probes.
template <class Number>
TEFF_APART void init_static_probed(team::Worker& worker, const Ident* ident, S32 schedule,
                                   const StaticBounds<Number>& bounds, std::make_signed_t<Number> step,
                                   std::make_signed_t<Number> chunk, base::CallSite site) {
    const Values<Number> all{*bounds.low, *bounds.up, step};
    init_static<Number>(worker, schedule, bounds, step, chunk);
    const U64 size = Values<Number>{*bounds.low, *bounds.up, step}.count();
    const U64 first = size == 0 ? 0 : Values<Number>{all.low, *bounds.low, step}.count() - 1;
    loop::events::static_begins(worker, kind_of(ident, schedule), all.count(), {first, first + size}, site);
}

// The construct of a call of for_static_init.
template <class Number>
[[gnu::always_inline]] inline void meet_static(const Ident* ident, S32 schedule, const StaticBounds<Number>& bounds,
                                               std::make_signed_t<Number> step, std::make_signed_t<Number> chunk,
                                               base::CallSite site) {
    team::Worker& worker = current_worker();
    if (TEFF_UNLIKELY(worker.probes != 0))
        return init_static_probed<Number>(worker, ident, schedule, bounds, step, chunk, site);
    init_static<Number>(worker, schedule, bounds, step, chunk);
}

// distribute parallel for, with one call: the league's teams get blocks, of which each team's
// members get theirs. For the probes, the construct is the loop over the team's block.
template <class Number>
TEFF_APART void init_distribute_and_static(const Ident* ident, S32 schedule, const StaticBounds<Number>& bounds,
                                           Number* up_of_team, std::make_signed_t<Number> step,
                                           std::make_signed_t<Number> chunk, base::CallSite site) {
    S32 has_last_block = 0;
    std::make_signed_t<Number> unused;
    divide_among_teams<Number>(kmpc::kDistribute, {&has_last_block, bounds.low, bounds.up, &unused}, step, 0);
    *up_of_team = *bounds.up;
    meet_static<Number>(ident, schedule, bounds, step, chunk, site);
    if (bounds.last != nullptr) *bounds.last = *bounds.last != 0 && has_last_block != 0;
}

// distribute parallel for with a schedule that is not static: the team's block of the league's
// iterations.
template <class Number> Values<Number> block_of_team(Values<Number> values, S32* last) {
    std::make_signed_t<Number> unused;
    divide_among_teams<Number>(kmpc::kDistribute, {last, &values.low, &values.up, &unused}, values.step, 0);
    return values;
}

struct Choice {
    loop::ScheduleChoice schedule;
    bool is_ordered;
};

// schedule(simd:runtime): the chunks that the ICV says, in vectors.
S32 simd_kind_at_run_time(U64& chunk) {
    using icv::ScheduleKind;
    const icv::RunSchedule& asked = abi::current_icvs().run_sched;
    const auto size = static_cast<U64>(asked.chunk);
    const bool in_blocks = asked.is_default || (asked.kind == ScheduleKind::static_ && size == 0);
    if (in_blocks || asked.kind == ScheduleKind::auto_) return kmpc::kStaticBalancedChunked;
    chunk *= std::max<U64>(size, 1);
    if (asked.kind == ScheduleKind::static_) return kmpc::kStaticChunked;
    return asked.kind == ScheduleKind::guided ? kmpc::kGuidedSimd : kmpc::kDynamic;
}

Choice choice_of(const team::Worker& worker, S32 schedule, U64 chunk, U64 count) {
    using icv::ScheduleKind;
    using loop::Order;
    S32 kind = schedule & ~(kmpc::kMonotonic | kmpc::kNonmonotonic);
    const bool is_ordered = kind >= kmpc::kOrderedFirst && kind <= kmpc::kOrderedLast;
    if (is_ordered) kind += kmpc::kStaticChunked - kmpc::kOrderedFirst;
    const bool is_nonmonotonic = (schedule & kmpc::kNonmonotonic) != 0 && !is_ordered;
    const Order order = is_nonmonotonic ? Order::nonmonotonic : Order::monotonic;
    const auto fixed = [&](ScheduleKind of, U64 size) {
        return Choice{loop::ScheduleChoice::fixed(of, order, size), is_ordered};
    };
    if (kind == kmpc::kRuntimeSimd) kind = simd_kind_at_run_time(chunk);
    switch (kind) {
    case kmpc::kStaticBalancedChunked:
        return fixed(ScheduleKind::static_, balanced_chunk(count, worker.member->team->size, std::max<U64>(chunk, 1)));
    case kmpc::kGuidedSimd: {
        Choice choice = fixed(ScheduleKind::guided, chunk);
        choice.schedule.whole_chunks = true;
        return choice;
    }
    case kmpc::kDynamic:
        return fixed(ScheduleKind::dynamic, chunk);
    case kmpc::kGuided:
        return fixed(ScheduleKind::guided, chunk);
    case kmpc::kRuntime: {
        if (abi::current_icvs().run_sched.is_default) return fixed(ScheduleKind::static_, 0); // as in libomp
        // Clang says nonmonotonic for schedule(runtime), too, so this is no word of the program.
        const bool is_monotonic = (schedule & kmpc::kMonotonic) != 0 || is_ordered;
        return {loop::ScheduleChoice::runtime(worker, is_monotonic ? Order::monotonic : Order::as_icv), is_ordered};
    }
    case kmpc::kStaticChunked:
        return fixed(ScheduleKind::static_, std::max<U64>(chunk, 1));
    default: // static, auto
        return fixed(ScheduleKind::static_, 0);
    }
}

template <class Number>
[[gnu::noinline]] void start_shared(team::Worker& worker, S32 schedule, const Values<Number>& values, S64 chunk,
                                    base::CallSite site) {
    const U64 step = static_cast<U64>(S64{values.step}), count = values.count();
    const Choice choice = choice_of(worker, schedule, chunk > 0 ? static_cast<U64>(chunk) : 0, count);
    loop::LoopRequest request;
    request.iterations = {
        .start = U64(values.low), .end = U64(values.low) + count * step, .step = step, .count = count};
    request.schedule = choice.schedule;
    request.ordered = choice.is_ordered;
    request.is_unsigned = std::is_unsigned_v<Number>;
    request.site = site;
    loop::start(worker, request);
}

// Returns true if a member alone may take all iterations at once: the schedule promises no smaller
// pieces.
bool allows_whole(S32 schedule) {
    const S32 kind = schedule & ~(kmpc::kMonotonic | kmpc::kNonmonotonic);
    if (kind == kmpc::kDynamic) return (schedule & kmpc::kNonmonotonic) != 0;
    return kind == kmpc::kGuided || kind == kmpc::kStatic || kind == kmpc::kStaticChunked || kind == kmpc::kAuto ||
           kind == kmpc::kOrderedStatic || kind == kmpc::kOrderedFirst;
}

template <class Number>
[[gnu::always_inline]] inline void init_dispatch(S32 schedule, const Values<Number>& values, S64 chunk,
                                                 base::CallSite site) {
    team::Worker& worker = current_worker();
    if (!loop::is_alone(worker) || !allows_whole(schedule))
        return start_shared<Number>(worker, schedule, values, chunk, site);
    const bool is_empty = values.step > 0 ? values.low > values.up : values.low < values.up;
    loop::start_alone_later(worker, U64(values.low), U64(values.up), static_cast<U64>(S64{values.step}), is_empty);
}

// What a call of dispatch_next changes.
template <class Number> struct Chunk {
    S32* last; // may be null
    Number *low, *up;
    std::make_signed_t<Number>* stride; // may be null

    [[gnu::always_inline]] S32 set(U64 first, U64 end, U64 step, bool is_last) const {
        *low = static_cast<Number>(first);
        *up = static_cast<Number>(end);
        if (stride != nullptr) *stride = static_cast<std::make_signed_t<Number>>(step);
        if (last != nullptr) *last = is_last;
        return 1;
    }
};

// The construct ends for a member when it has no further chunk.
template <class Number>
[[gnu::always_inline]] inline S32 next_shared(team::Worker& worker, const Chunk<Number>& chunk, base::CallSite site) {
    Span span;
    if (!loop::next(worker, span, site)) return loop::end_nowait(worker), 0;
    const loop::Iterations& of = worker.member->loop.current->iterations;
    return chunk.set(of.value(span.first), of.value(span.last - 1), of.step, span.last == of.count);
}

template <class Number>
[[gnu::always_inline]] inline S32 next_dispatch(S32* last, Number* low, Number* up, std::make_signed_t<Number>* stride,
                                                base::CallSite site) {
    team::Worker& worker = current_worker();
    const Chunk<Number> chunk{last, low, up, stride};
    if (!loop::is_in_whole_loop(worker)) return next_shared<Number>(worker, chunk, site);
    const team::WholeLoop* const whole = loop::next_alone(worker);
    return whole != nullptr ? chunk.set(whole->first, whole->last, whole->step, true) : 0;
}

} // namespace

TEFF_EXPORT void __kmpc_for_static_init_4(Ident* ident, S32, S32 schedule, S32* last, S32* low, S32* up, S32* stride,
                                          S32 step, S32 chunk) {
    meet_static<S32>(ident, schedule, {last, low, up, stride}, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_for_static_init_4u(Ident* ident, S32, S32 schedule, S32* last, U32* low, U32* up, S32* stride,
                                           S32 step, S32 chunk) {
    meet_static<U32>(ident, schedule, {last, low, up, stride}, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_for_static_init_8(Ident* ident, S32, S32 schedule, S32* last, S64* low, S64* up, S64* stride,
                                          S64 step, S64 chunk) {
    meet_static<S64>(ident, schedule, {last, low, up, stride}, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_for_static_init_8u(Ident* ident, S32, S32 schedule, S32* last, U64* low, U64* up, S64* stride,
                                           S64 step, S64 chunk) {
    meet_static<U64>(ident, schedule, {last, low, up, stride}, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_for_static_fini(Ident*, S32) {
    team::Worker& worker = abi::worker_in_construct();
    if (TEFF_UNLIKELY(worker.probes != 0)) loop::events::static_ends(worker, TEFF_SITE);
}

TEFF_EXPORT void __kmpc_dist_for_static_init_4(Ident* ident, S32, S32 schedule, S32* last, S32* low, S32* up,
                                               S32* up_of_team, S32* stride, S32 step, S32 chunk) {
    init_distribute_and_static<S32>(ident, schedule, {last, low, up, stride}, up_of_team, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_for_static_init_4u(Ident* ident, S32, S32 schedule, S32* last, U32* low, U32* up,
                                                U32* up_of_team, S32* stride, S32 step, S32 chunk) {
    init_distribute_and_static<U32>(ident, schedule, {last, low, up, stride}, up_of_team, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_for_static_init_8(Ident* ident, S32, S32 schedule, S32* last, S64* low, S64* up,
                                               S64* up_of_team, S64* stride, S64 step, S64 chunk) {
    init_distribute_and_static<S64>(ident, schedule, {last, low, up, stride}, up_of_team, step, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_for_static_init_8u(Ident* ident, S32, S32 schedule, S32* last, U64* low, U64* up,
                                                U64* up_of_team, S64* stride, S64 step, S64 chunk) {
    init_distribute_and_static<U64>(ident, schedule, {last, low, up, stride}, up_of_team, step, chunk, TEFF_SITE);
}

// dist_schedule(static, chunk): the team's first chunk.
TEFF_EXPORT void __kmpc_team_static_init_4(Ident*, S32, S32* last, S32* low, S32* up, S32* stride, S32 step,
                                           S32 chunk) {
    divide_among_teams<S32>(kmpc::kDistributeChunked, {last, low, up, stride}, step, chunk);
}
TEFF_EXPORT void __kmpc_team_static_init_4u(Ident*, S32, S32* last, U32* low, U32* up, S32* stride, S32 step,
                                            S32 chunk) {
    divide_among_teams<U32>(kmpc::kDistributeChunked, {last, low, up, stride}, step, chunk);
}
TEFF_EXPORT void __kmpc_team_static_init_8(Ident*, S32, S32* last, S64* low, S64* up, S64* stride, S64 step,
                                           S64 chunk) {
    divide_among_teams<S64>(kmpc::kDistributeChunked, {last, low, up, stride}, step, chunk);
}
TEFF_EXPORT void __kmpc_team_static_init_8u(Ident*, S32, S32* last, U64* low, U64* up, S64* stride, S64 step,
                                            S64 chunk) {
    divide_among_teams<U64>(kmpc::kDistributeChunked, {last, low, up, stride}, step, chunk);
}

TEFF_EXPORT void __kmpc_dispatch_init_4(Ident*, S32, S32 schedule, S32 low, S32 up, S32 step, S32 chunk) {
    init_dispatch<S32>(schedule, {low, up, step}, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dispatch_init_4u(Ident*, S32, S32 schedule, U32 low, U32 up, S32 step, S32 chunk) {
    init_dispatch<U32>(schedule, {low, up, step}, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dispatch_init_8(Ident*, S32, S32 schedule, S64 low, S64 up, S64 step, S64 chunk) {
    init_dispatch<S64>(schedule, {low, up, step}, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dispatch_init_8u(Ident*, S32, S32 schedule, U64 low, U64 up, S64 step, S64 chunk) {
    init_dispatch<U64>(schedule, {low, up, step}, chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_dispatch_init_4(Ident*, S32, S32 schedule, S32* last, S32 low, S32 up, S32 step,
                                             S32 chunk) {
    init_dispatch<S32>(schedule, block_of_team<S32>({low, up, step}, last), chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_dispatch_init_4u(Ident*, S32, S32 schedule, S32* last, U32 low, U32 up, S32 step,
                                              S32 chunk) {
    init_dispatch<U32>(schedule, block_of_team<U32>({low, up, step}, last), chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_dispatch_init_8(Ident*, S32, S32 schedule, S32* last, S64 low, S64 up, S64 step,
                                             S64 chunk) {
    init_dispatch<S64>(schedule, block_of_team<S64>({low, up, step}, last), chunk, TEFF_SITE);
}
TEFF_EXPORT void __kmpc_dist_dispatch_init_8u(Ident*, S32, S32 schedule, S32* last, U64 low, U64 up, S64 step,
                                              S64 chunk) {
    init_dispatch<U64>(schedule, block_of_team<U64>({low, up, step}, last), chunk, TEFF_SITE);
}
TEFF_EXPORT S32 __kmpc_dispatch_next_4(Ident*, S32, S32* last, S32* low, S32* up, S32* stride) {
    return next_dispatch<S32>(last, low, up, stride, TEFF_SITE);
}
TEFF_EXPORT S32 __kmpc_dispatch_next_4u(Ident*, S32, S32* last, U32* low, U32* up, S32* stride) {
    return next_dispatch<U32>(last, low, up, stride, TEFF_SITE);
}
TEFF_EXPORT S32 __kmpc_dispatch_next_8(Ident*, S32, S32* last, S64* low, S64* up, S64* stride) {
    return next_dispatch<S64>(last, low, up, stride, TEFF_SITE);
}
TEFF_EXPORT S32 __kmpc_dispatch_next_8u(Ident*, S32, S32* last, U64* low, U64* up, S64* stride) {
    return next_dispatch<U64>(last, low, up, stride, TEFF_SITE);
}

// After each iteration of an ordered loop. The turn passes when the member asks for its next chunk.
TEFF_EXPORT void __kmpc_dispatch_fini_4(Ident*, S32) {}
TEFF_EXPORT void __kmpc_dispatch_fini_4u(Ident*, S32) {}
TEFF_EXPORT void __kmpc_dispatch_fini_8(Ident*, S32) {}
TEFF_EXPORT void __kmpc_dispatch_fini_8u(Ident*, S32) {}
// At the end of the loop, also of one that was cancelled and still has chunks.
TEFF_EXPORT void __kmpc_dispatch_deinit(Ident*, S32) {
    team::Worker& worker = current_worker();
    if (worker.member->loop.current != nullptr) loop::end_nowait(worker);
}

TEFF_EXPORT void __kmpc_ordered(Ident*, S32) { loop::ordered_begin(current_worker(), TEFF_SITE); }
TEFF_EXPORT void __kmpc_end_ordered(Ident*, S32) { loop::ordered_end(current_worker(), TEFF_SITE); }
