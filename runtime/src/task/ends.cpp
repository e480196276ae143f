// SPDX-License-Identifier: Apache-2.0
#include "task/ends.h"

namespace teff::task {

namespace {

// After this number of ends the parent is notified in any case, because a creator checks the number
// of its unfinished children.
constexpr std::uint32_t kMostKept = 16;

} // namespace

void pass_on_ends(team::Worker& worker) {
    const team::EndedTasks ends = worker.ends;
    worker.ends = {};
    if (ends.group != nullptr) {
        if (ends.group->home == worker.context) ends.group->live.end_home(ends.tasks);
        else end_tasks_away(*ends.group, ends.tasks);
    }
    if (is_home(worker, *ends.parent)) ends.parent->children.end_home(ends.tasks);
    else end_children_away(worker, *ends.parent, ends.tasks);
    team::Member::count(ends.member->finished, ends.tasks);
}

// The worker may have run tasks of other parents on top of the ended task, and may hold the ends of
// those tasks.
void keep_end(team::Worker& worker, Task& parent, Taskgroup* group) {
    team::EndedTasks& ends = worker.ends;
    const bool same = ends.parent == &parent && ends.group == group && ends.member == worker.member;
    if (ends.tasks != 0 && !same) pass_on_ends(worker);
    ends = {&parent, group, worker.member, ends.tasks + 1};
    if (ends.tasks == kMostKept) pass_on_ends(worker);
}

} // namespace teff::task
