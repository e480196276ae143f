// SPDX-License-Identifier: Apache-2.0
#include "processes/flush.h"

#include "processes/aside.h"
#include "processes/link.h"
#include "processes/team.h"

namespace teff::processes {

namespace {

std::uint32_t flag_of(Why why) {
    switch (why) {
    case Why::yield:
        return kYield;
    case Why::beat:
        return kBeat;
    default:
        return 0;
    }
}

} // namespace

void flush(Why why) {
    if (!link::is_connected()) return;
    Request request = {};
    request.op = Op::flush;
    request.flags = flag_of(why);
    link::ask(request, link::Sync::memory);
}

// The other thread of the first process, which takes no part in regions, may call interposed
// functions.
bool flush_if_shared(Why why) {
    if (!region::has_others() || is_aside() || !(is_interrupted() || is_on_program_stack())) return false;
    flush(why);
    return true;
}

} // namespace teff::processes
