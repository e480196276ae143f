// SPDX-License-Identifier: Apache-2.0
// Events that the program requests: the error directive, flush, and omp_control_tool.
#pragma once

#include <cstddef>

#include "base/call_site.h"
#include "omp-tools.h"
#include "probe/ompt/records.h"

namespace teff::probe::ompt {

void error_directive(ompt_severity_t severity, const char* message, std::size_t length, base::CallSite site);

void flush(ThreadRecord& thread, base::CallSite site);

// Calls the tool's callback, and returns the result of omp_control_tool. `thread` is null if the
// tool gets no events of the calling thread.
int control_tool(ThreadRecord* thread, int command, int modifier, void* argument, base::CallSite site);

} // namespace teff::probe::ompt
