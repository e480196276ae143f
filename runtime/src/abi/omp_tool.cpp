// SPDX-License-Identifier: Apache-2.0
// omp_control_tool, which libgomp does not have.
#include <cstdint>

#include "abi/export.h"
#include "probe/ompt/other_events.h"
#include "team/worker.h"

using namespace teff;

namespace {

// Makes the thread a worker first, because the tool must get the thread's begin before its other
// events.
int control(int command, int modifier, void* argument, base::CallSite site) {
    team::current_worker();
    return probe::ompt::control_tool(command, modifier, argument, site);
}

} // namespace

TEFF_EXPORT int omp_control_tool(int command, int modifier, void* argument) {
    return control(command, modifier, argument, TEFF_SITE);
}

TEFF_EXPORT std::int32_t omp_control_tool_(const std::int32_t* command, const std::int32_t* modifier) {
    return control(*command, *modifier, nullptr, TEFF_SITE);
}
