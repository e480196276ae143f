// SPDX-License-Identifier: Apache-2.0
#include "loop/doacross_nest.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "loop/events.h"
#include "loop/iterations.h"
#include "loop/work_share.h"
#include "task/blocked_wait.h"
#include "team/team.h"

namespace teff::loop {

namespace {

constexpr std::uint64_t kBits = 64;

} // namespace

std::uint64_t NestLoop::count() const { return Iterations::count_to_inclusive(low, up, step); }

Iterations NestLoop::iterations() const {
    const auto from = static_cast<std::uint64_t>(low), by = static_cast<std::uint64_t>(step);
    return {from, from + count() * by, by, count()};
}

std::optional<std::uint64_t> NestLoop::number_of(std::int64_t value) const {
    const bool is_inside = step > 0 ? value >= low && value <= up : value <= low && value >= up;
    if (!is_inside) return {};
    const auto from = static_cast<std::uint64_t>(low), to = static_cast<std::uint64_t>(value),
               by = static_cast<std::uint64_t>(step);
    return step > 0 ? (to - from) / by : (from - to) / (0 - by);
}

DoacrossNest* DoacrossNest::make(std::span<const NestLoop> loops, unsigned users) {
    if (loops.size() > kMostLoops)
        base::fatal(0, "a nest of %zu loops with cross-iteration dependences: at most %zu are supported", loops.size(),
                    kMostLoops);
    std::uint64_t iterations = 1;
    for (const NestLoop& loop : loops)
        if (__builtin_mul_overflow(iterations, loop.count(), &iterations))
            base::fatal(0, "a nest of loops with cross-iteration dependences has more than 2^64 iterations");
    const std::uint64_t bytes = (iterations / kBits + 1) * sizeof(std::uint64_t);
    void* const memory = std::calloc(1, sizeof(DoacrossNest) + bytes);
    if (memory == nullptr)
        base::fatal(ENOMEM, "no memory for the dependences of a nest of loops (%zu bytes)",
                    static_cast<std::size_t>(bytes));
    auto* const nest = ::new (memory) DoacrossNest(users); // all bits are zero
    nest->count_ = loops.size();
    std::copy(loops.begin(), loops.end(), nest->loops_);
    return nest;
}

// All members meet a work-sharing construct of its own, which no tool of OMPT is told of: the
// program meets the loop itself, too.
void DoacrossNest::enter(team::Worker& worker, std::span<const NestLoop> loops, base::CallSite site) {
    const team::Team& team = *worker.member->team;
    const unsigned members = team.size;
    if (members == 1 && worker.probes == 0) return; // no other member: nothing is waited for
    const Entry entry = loop::enter(worker);
    if (entry.first) {
        entry.share.nest_object = make(loops, members);
        if (TEFF_UNLIKELY(worker.probes != 0))
            entry.share.nest_object->id_ = events::nest_set_up(worker, team, loops[0].iterations(), site);
        open(entry.share);
    }
    worker.member->loop.nest = entry.share.nest_object;
    loop::leave(worker);
}

void DoacrossNest::leave(team::Worker& worker) {
    DoacrossNest* const nest = worker.member->loop.nest;
    if (nest == nullptr) return;
    worker.member->loop.nest = nullptr;
    const bool is_last = nest->users_.fetch_sub(1, std::memory_order_acq_rel) == 1; // [nest-2]
    if (is_last) std::free(nest);
}

std::optional<std::uint64_t> DoacrossNest::number_of(const std::int64_t* position) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const std::optional<std::uint64_t> in_loop = loops_[i].number_of(position[i]);
        if (!in_loop) return {};
        number = number * loops_[i].count() + *in_loop;
    }
    return number;
}

void DoacrossNest::post(team::Worker& worker, const std::int64_t* position) {
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks when = probed ? base::ticks() : 0;
    if (probed) events::nest_source(worker, {position, count_});
    const std::optional<std::uint64_t> iteration = number_of(position);
    if (!iteration) return;
    words()[*iteration / kBits].fetch_or(1ull << *iteration % kBits, std::memory_order_release); // [nest-1]
    posted_.notify();
    if (probed) events::nest_posted(worker, id_, *iteration, when);
}

bool DoacrossNest::is_posted(std::uint64_t iteration) const {
    const std::uint64_t word = words()[iteration / kBits].load(std::memory_order_acquire); // [nest-1]
    return (word >> iteration % kBits & 1) != 0;
}

void DoacrossNest::wait(team::Worker& worker, const std::int64_t* position, base::CallSite site) {
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks met = probed ? base::ticks() : 0;
    const std::optional<std::uint64_t> iteration = number_of(position);
    if (!iteration) return;
    if (probed) events::doacross_sink(worker);
    if (!is_posted(*iteration)) wait_for(worker, *iteration, site);
    if (!probed) return;
    events::nest_waited(worker, id_, *iteration, met);
    events::nest_sink(worker, {position, count_});
}

void DoacrossNest::wait_for(team::Worker& worker, std::uint64_t iteration, base::CallSite site) {
    const team::Team& team = *worker.member->team;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? events::turn_wait_begins(worker, site) : 0;
    const auto is_over = [&] { return is_posted(iteration) || team.cancelled.load(std::memory_order_relaxed); };
    task::BlockedWait(worker).until(is_over, look_again_ns(), [&](std::uint64_t interval_ns, auto&& ready) {
        posted_.wait_until(spins(team), interval_ns, ready);
    });
    if (probed) events::turn_wait_ends(worker, site, began);
}

} // namespace teff::loop
