// SPDX-License-Identifier: Apache-2.0
//
// Where a tool is looked for: in the process, then in the libraries of OMP_TOOL_LIBRARIES, in their
// order. The first ompt_start_tool that returns a result is the process's tool.
// With OMP_TOOL_VERBOSE_INIT each step is printed.
#pragma once

#include "omp-tools.h"

namespace teff::probe::ompt {

// Null: there is no tool that wants to be started.
ompt_start_tool_result_t* find_tool();

} // namespace teff::probe::ompt
