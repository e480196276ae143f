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
// The team at this nesting level; null if there is none.
Team* team_at(int level);

// The league that the program is in.
namespace league {
extern unsigned team_number, team_count;
}

namespace region {

using Body = void (*)(void*);

// Runs a parallel region from begin to end. `loop` is a loop in which all members begin, or null.
void run(Body body, void* data, unsigned threads_asked, const loops::Loop* loop = nullptr);
// The two halves of run(), for programs that call the body themselves.
void begin(Body body, void* data, unsigned threads_asked, const loops::Loop* loop = nullptr);
void end();

// A barrier for all members and all tasks. It is also a flush.
void barrier();

// The number of members of the innermost region that has several members; 1 if there is none.
unsigned members_here();
// Whether this process is in such a region, so that other processes may read and write meanwhile.
// With an object: whether they may access this object, because it is in shared memory.
bool has_others();
bool is_among_others(const void* object);

// Called in a child that the program has forked: the child is the only member of the regions that
// it is in.
void go_on_alone();

// How many members a region would have here if it requests this number of threads (0: no number
// given).
unsigned size_of(unsigned threads_asked);

} // namespace region

} // namespace teff::processes
