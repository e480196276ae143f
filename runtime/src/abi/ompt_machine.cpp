// SPDX-License-Identifier: Apache-2.0
#include "abi/start_up.h"

#include <algorithm>

#include "probe/ompt/inquiry.h"
#include "region/adopt.h"
#include "task/task.h"
#include "team/probes.h"
#include "team/team.h"
#include "topo/process_places.h"
#include "topo/processors.h"

namespace teff::abi {

namespace {

probe::ompt::ThreadRecord* current_thread() {
    const team::Worker* worker = team::current_worker_if_any();
    return worker != nullptr && team::observed(*worker) ? worker->ompt : nullptr;
}

int places() { return static_cast<int>(topo::places().size()); }

// Writes as many processors of the place as fit, and returns how many processors the place has.
int place_processors(int place, int room, int* processors) {
    if (place < 0 || place >= places()) return 0;
    const topo::ProcessorSet& set = topo::places()[static_cast<unsigned>(place)];
    const int count = static_cast<int>(set.count());
    unsigned processor = set.next(0);
    for (int i = 0; i < std::min(count, room); ++i, processor = set.next(processor + 1))
        processors[i] = static_cast<int>(processor);
    return count;
}

// Returns the calling thread's binding; null if the thread is not bound to a place or is in no
// team.
const team::Binding* own_binding() {
    const team::Worker* worker = team::current_worker_if_any();
    if (!topo::has_places() || worker == nullptr || worker->member == &team::nowhere) return nullptr;
    return &worker->member->binding;
}

int own_place() {
    const team::Binding* binding = own_binding();
    return binding == nullptr ? -1 : static_cast<int>(binding->place);
}

int partition(int room, int* place_numbers) {
    const team::Binding* binding = own_binding();
    if (binding == nullptr) return 0;
    const int count = static_cast<int>(binding->partition_size);
    for (int i = 0; i < std::min(count, room); ++i)
        place_numbers[i] = static_cast<int>(binding->partition_first) + i;
    return count;
}

int devices() { return 0; }

std::uint64_t current_task_id() {
    const team::Worker* worker = team::current_worker_if_any();
    return worker != nullptr && worker->task != nullptr ? worker->task->id.get() : 0;
}

} // namespace

void initialise_tool_inquiries() {
    probe::ompt::set_machine({.current_thread = current_thread,
                              .processors = topo::affinity_processors,
                              .places = places,
                              .place_processors = place_processors,
                              .own_place = own_place,
                              .partition = partition,
                              .devices = devices,
                              .current_task_id = current_task_id,
                              .end_events = region::end_tools_events});
}

} // namespace teff::abi
