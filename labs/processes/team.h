// SPDX-License-Identifier: Apache-2.0
//
// Team: the region that this process is in, and the regions around it. Only at the outermost active
// level can a team have several processes. Regions inside it have one member, this process.
//
// The record lies on the stack of the thread that began the region, and only this process uses it.
#pragma once

#include <cstdint>

#include "icv/icv.h"
#include "processes/loops.h"

namespace teff::processes {

struct Team {
    Team* outer = nullptr;
    unsigned size = 1, number = 0;
    unsigned level = 0, active_level = 0;
    std::uint64_t constructs = 0; // work-sharing constructs that this member has met
    loops::Met met = {};          // the last of them that is a loop, or sections

    bool is_shared() const { return size > 1; }
};

Team& current_team();
// The team `level` of those around; null: there is none.
Team* team_at(int level);

// The league that the program is in.
namespace league {
extern unsigned team_number, team_count;
}

namespace region {

using Body = void (*)(void*);

// A parallel region from begin to end. `loop`: all members are in it from the start; or null.
void run(Body body, void* data, unsigned threads_asked, const loops::Loop* loop = nullptr);
// The two halves, where the program calls the body itself.
void begin(Body body, void* data, unsigned threads_asked, const loops::Loop* loop = nullptr);
void end();

// All members and all tasks; a flush.
void barrier();

// The number of members of the innermost region that has several members; 1 if there is none.
unsigned members_here();
// Whether this process is in such a region, so that others may read and write meanwhile; and
// whether they may the object, which lies in shared memory then.
bool has_others();
bool is_among_others(const void* object);

// In a child that the program has forked: it is the only member of the regions that it is in.
void go_on_alone();

// How many members a region would have here that asks for this number of threads (0: none given).
unsigned size_of(unsigned threads_asked);

} // namespace region

} // namespace teff::processes
