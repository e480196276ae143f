// SPDX-License-Identifier: Apache-2.0
#include "probe/ompt/other_events.h"

#include "probe/ompt/callbacks.h"
#include "probe/ompt/tool.h"

namespace teff::probe::ompt {

void error_directive(ompt_severity_t severity, const char* message, std::size_t length, base::CallSite site) {
    call<ompt_callback_error_t>(ompt_callback_error, severity, message, length, site.code());
}

int control_tool(int command, int modifier, void* argument, base::CallSite site) {
    constexpr int kNoTool = -2, kNoCallback = -1; // omp_control_tool_result_t
    if (!attached()) return kNoTool;
    const auto callback =
        reinterpret_cast<ompt_callback_control_tool_t>(detail::find_callback(ompt_callback_control_tool));
    if (callback == nullptr) return kNoCallback;
    return callback(static_cast<std::uint64_t>(command), static_cast<std::uint64_t>(modifier), argument, site.code());
}

} // namespace teff::probe::ompt
