// SPDX-License-Identifier: Apache-2.0
//
// Work-sharing loops, sections and single, in a member. A member computes its share of a static
// schedule itself, without a message. For other schedules the hub hands out several chunks at a
// time. Iterations are numbers from 0; loop/iterations.h turns them into the program's values.
#pragma once

#include <cstdint>

#include "icv/icv.h"
#include "loop/iterations.h"

namespace teff::processes::loops {

struct Loop {
    loop::Iterations iterations;
    icv::ScheduleKind kind;
    std::uint64_t chunk; // 0: not given
    bool ordered;
};

// The construct that a member is in. Constructs of one team do not nest.
struct Met {
    Loop loop = {};
    std::uint64_t id = 0;    // among the team's
    std::uint64_t trip = 0;  // of a static loop
    loop::Span bundle = {};  // handed out to this member, and not run yet
    std::uint64_t chunk = 0; // number of the last chunk that was taken
    bool has_chunk = false;
};

// Enters the construct, without requesting iterations.
void meet(const Loop& loop);
// The first iterations, then the next; false: there are no more.
bool start(const Loop& loop, loop::Span& span);
bool next(loop::Span& span);
const loop::Iterations& iterations();
void end(); // without a barrier

void begin_ordered();
void end_ordered();

bool single();
void* single_copy(); // null: it is ours
void give_copy(const void* address);

// sections: loops over numbers from 1 on; 0: there are no more.
Loop sections(unsigned count);
unsigned start_sections(unsigned count);
unsigned next_section();

icv::ScheduleKind runtime_kind();
std::uint64_t runtime_chunk();

} // namespace teff::processes::loops
