// SPDX-License-Identifier: Apache-2.0
#include "team/records.h"

#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/report.h"

namespace teff::team {

namespace {

template <class Record> Record& made(Record*& record) {
    if (record != nullptr) return *record;
    void* memory = std::malloc(sizeof(Record));
    if (memory == nullptr) base::fatal(ENOMEM, "no memory for what a tool keeps of a team");
    return *(record = ::new (memory) Record);
}

} // namespace

probe::ompt::ParallelRecord& parallel_record(Team& team) { return made(team.record); }

probe::ompt::TaskRecord& task_record(Member& member) { return made(member.task_record); }

} // namespace teff::team
