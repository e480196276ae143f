// SPDX-License-Identifier: Apache-2.0
// A tool that does not want to stay.

#include <omp-tools.h>
#include <stdio.h>

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
    (void)omp_version, (void)runtime_version;
    fputs("declined\n", stderr);
    return NULL;
}
