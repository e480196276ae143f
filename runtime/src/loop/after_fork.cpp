// SPDX-License-Identifier: Apache-2.0
#include "loop/after_fork.h"

#include "loop/ring.h"
#include "loop/work_share.h"

namespace teff::loop {

namespace {

void make_alone(WorkShare& share, bool other_number) {
    share.ordered = false;
    share.doacross = nullptr; // not freed: the member may be in the middle of a chunk
    // Which chunks are the thread's follows from its number. Under another number, it ends with the
    // chunk that it has.
    if (other_number && share.schedule == Schedule::static_) share.iterations.count = 0;
}

void go_on_alone(team::Member& member) {
    team::Team& team = *member.team;
    if (team.size == 1) return;
    const bool other_number = member.number != 0;
    if (WorkShare* current = member.loop.current) make_alone(*current, other_number);
    // A combined construct that the member has not entered yet. It enters it as a member alone
    // does: if it is open.
    else if (team.ring != nullptr && member.loop.sequence == 0) make_alone(team.ring->first, false);
    member.loop.ordered_count = 0;
}

} // namespace

void go_on_alone(team::Worker& worker) {
    for (team::Member* place = worker.member; place != nullptr; place = team::place_around(*place))
        go_on_alone(*place);
}

} // namespace teff::loop
