// SPDX-License-Identifier: Apache-2.0
//
// The data that the query routines read: the calling thread's position in its team, and the
// internal control variables (ICVs) of its task.
//
// A thread that has not used OpenMP yet gets the answers of an initial task. A query does not make
// such a thread a worker, but setting an ICV does.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>

#include "abi/first_use.h"
#include "icv/icv.h"
#include "task/icvs.h"
#include "team/team.h"

namespace teff::abi {

// Converts a count to int, the type that the specification demands.
inline int to_int(std::uint32_t value) { return value > INT_MAX ? INT_MAX : static_cast<int>(value); }

struct Place {
    unsigned number = 0, size = 1, level = 0, active_level = 0;
};

inline Place place_of(const team::Member& member) {
    const team::Team& team = *member.team;
    return {.number = member.number, .size = team.size, .level = team.level, .active_level = team.active_level};
}

inline Place current_place() {
    const team::Worker* worker = known_worker();
    return worker == nullptr ? Place{} : place_of(*worker->member);
}

// Returns the position of the caller, or of its ancestor, in the team at nesting level `level`
// around the caller; nothing if there is no such level.
inline std::optional<Place> ancestor_place(int level) {
    const team::Worker* worker = known_worker();
    if (level < 0) return {};
    const auto wanted = static_cast<unsigned>(level);
    if (worker == nullptr) return wanted == 0 ? std::optional(Place{}) : std::nullopt;
    const team::Member* member = worker->member;
    if (wanted > member->team->level) return {};
    while (member->team->level > wanted)
        member = member->team->leader_place;
    return place_of(*member);
}

// The worker of a thread that ends a construct: the construct's begin has made it a worker.
[[gnu::always_inline]] inline team::Worker& worker_in_construct() { return *team::current_worker_if_any(); }

inline const icv::TaskIcvs& current_icvs() {
    const team::Worker* worker = known_worker();
    return worker == nullptr ? icv::initial() : *worker->task->icvs;
}

template <class Change> void change_icvs(Change&& change) { task::change_icvs(team::current_worker(), change); }

// An omp_sched_t is a kind, with this bit for the modifier monotonic.
inline constexpr unsigned kMonotonic = 0x8000'0000;

inline bool is_schedule(unsigned kind) {
    const unsigned plain = kind & ~kMonotonic;
    return plain >= static_cast<unsigned>(icv::ScheduleKind::static_) &&
           plain <= static_cast<unsigned>(icv::ScheduleKind::auto_);
}

// Sets the schedule. A chunk below 1 means the kind's default chunk. If the kind is auto, the chunk
// stays unchanged, as in libgomp.
inline void set_schedule(icv::RunSchedule& schedule, unsigned kind, int chunk) {
    schedule.kind = static_cast<icv::ScheduleKind>(kind & ~kMonotonic);
    schedule.monotonic = (kind & kMonotonic) != 0;
    schedule.has_modifier = schedule.monotonic;
    schedule.is_default = false;
    if (schedule.kind == icv::ScheduleKind::auto_) return;
    schedule.chunk = chunk > 0 ? chunk : schedule.kind == icv::ScheduleKind::static_ ? 0 : 1;
}

} // namespace teff::abi
