// SPDX-License-Identifier: Apache-2.0
// omp_control_tool, which libgomp does not have. Its commands go to the tool, if there is one, and
// to the recorder, if there is one.
#include <cstdint>

#include "abi/export.h"
#include "probe/ompt/other_events.h"
#include "region/recording_window.h"
#include "team/probes.h"
#include "team/worker.h"

using namespace teff;

namespace {

// omp_control_tool_result_t and omp_control_tool_t
enum Result : int { kNoTool = -2, kNoCallback = -1, kSuccess = 0, kIgnored = 1 };
enum Command : int { kStart = 1, kPause = 2, kFlush = 3, kEnd = 4 };

// A record is in its file as soon as it is stored, so there is nothing to flush.
Result control_recorder(team::Worker& worker, int command) {
    if (worker.trace == nullptr) return kNoTool;
    switch (command) {
    case kStart:
        return region::start_recording(worker) ? kSuccess : kIgnored;
    case kPause:
        region::stop_recording(worker);
        return kSuccess;
    case kFlush:
        return kSuccess;
    case kEnd:
        region::end_recording(worker);
        return kSuccess;
    default:
        return kIgnored;
    }
}

// Makes the thread a worker first, because the tool must get the thread's begin before its other
// events.
int control(int command, int modifier, void* argument, base::CallSite site) {
    team::Worker& worker = team::current_worker();
    probe::ompt::ThreadRecord* const record = team::observed(worker) ? worker.ompt : nullptr;
    const int of_tool = probe::ompt::control_tool(record, command, modifier, argument, site);
    const Result of_recorder = control_recorder(worker, command);
    const bool tool_answers = of_recorder == kNoTool || (of_tool != kNoTool && of_tool != kNoCallback);
    return tool_answers ? of_tool : of_recorder;
}

} // namespace

TEFF_EXPORT int omp_control_tool(int command, int modifier, void* argument) {
    return control(command, modifier, argument, TEFF_SITE);
}

TEFF_EXPORT std::int32_t omp_control_tool_(const std::int32_t* command, const std::int32_t* modifier) {
    return control(*command, *modifier, nullptr, TEFF_SITE);
}
