// SPDX-License-Identifier: Apache-2.0
//
// Sums over all records that a stream has stored, from which a reader knows what a large recording
// contains before it has read the recording (teff_rec_sums, decision 0054).
//
// Owned by a Stream. The stream adds each record while it is storing the record [append-1], so the
// sums and the records agree at every instant at which the stream stores nothing. Each chunk but
// the first has the sums of everything before it. A record costs one or two additions, because
// every sum is linear in the records: the time in tasks, for example, is that of all RUNs minus
// that of all WAITs, no matter which tasks were nested in which.
#pragma once

#include <cstdint>

#include "teff_trace.h"

namespace teff::probe::trace {

class Sums {
  public:
    // A task whose cost follows (creation_took), or one that the runtime creates for a region.
    void created() { ++all_.tasks; }
    void created(std::uint8_t flags, std::uint64_t parent, std::uint64_t cost, std::uint64_t when) {
        if ((flags & TEFF_TASK_IMPLICIT) != 0) {
            ++all_.implicit_tasks;
            if (parent == 0) initial_task_began(when);
            return;
        }
        created();
        creation_took(cost);
    }
    void creation_took(std::uint64_t ticks) { all_.creation_ticks += ticks; }

    // What a task runs on top of its creator replaces the creator's time.
    void ran(std::uint8_t flags, std::uint64_t ticks) { all_.task_ticks += (flags & TEFF_RUN_ON_TOP) != 0 ? 0 : ticks; }
    void waited(std::uint64_t ticks) {
        ++all_.waits;
        all_.task_ticks -= ticks;
    }
    void depended() { ++all_.dependences; }

    void chunk_ran(std::uint64_t ticks) {
        ++all_.chunks;
        all_.loop_ticks -= ticks;
    }
    void loop_began() { ++all_.loops; }
    void was_in_loop(std::uint64_t ticks) { all_.loop_ticks += ticks; }

    void region_began(std::uint64_t when) {
        ++all_.regions;
        ++all_.open_regions;
        all_.region_ticks -= when;
    }
    void region_ended(std::uint64_t when) {
        --all_.open_regions;
        all_.region_ticks += when;
    }

    void initial_task_ended(std::uint64_t began) {
        --all_.open_initial_tasks;
        all_.initial_tasks_began -= began;
    }

    void idled(std::uint64_t ticks) { all_.idle_ticks += ticks; }
    void was_off(std::uint64_t ticks) { all_.off_ticks += ticks; }
    void window_changed() { ++all_.windows; }

    const teff_rec_sums& all() const { return all_; }

  private:
    // Initial tasks are under way from their CREATE to their RUN.
    void initial_task_began(std::uint64_t when) {
        ++all_.open_initial_tasks;
        all_.initial_tasks_began += when;
        if (all_.first_initial_task == 0) all_.first_initial_task = when;
    }

    teff_rec_sums all_{}; // its head is unused
};

} // namespace teff::probe::trace
