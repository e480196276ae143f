// SPDX-License-Identifier: Apache-2.0
//
// Searches for a tool: in the process, then in the libraries of OMP_TOOL_LIBRARIES, in their order.
// The first ompt_start_tool that returns a result belongs to the process's tool. If
// OMP_TOOL_VERBOSE_INIT is set, each step is printed.
#pragma once

#include "omp-tools.h"

namespace teff::probe::ompt {

// Returns the result of the tool's ompt_start_tool, or null if no tool wants to be started.
ompt_start_tool_result_t* find_tool();

} // namespace teff::probe::ompt
