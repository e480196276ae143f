// SPDX-License-Identifier: Apache-2.0
//
// The tool's start and end. OMPT_MODE says how it behaves:
//
//     (unset)    sets all callbacks and stays
//     decline    ompt_start_tool returns NULL
//     refuse     initialize returns 0
//     late       sets no callback until the program calls ompt_test_attach
//     bare       stays without any callback
//     ask        asks routines of OpenMP in initialize, and stays

#include "callbacks.h"
#include "entry_points.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int mode_is(const char* word) {
    const char* mode = getenv("OMPT_MODE");
    return mode && !strcmp(mode, word);
}

// The process's first use of OpenMP is under way on this thread.
static void ask_routines(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    if (omp_get_max_threads() < 1 || omp_get_num_threads() != 1 || omp_get_thread_num() != 0 || omp_in_parallel())
        abort();
}

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t* tool_data) {
    Line line = line_begin("initialize");
    line_add(&line, " device=%d data=%llu", initial_device_num, (unsigned long long)tool_data->value);
    line_end(&line);
    if (mode_is("refuse")) return 0;
    if (mode_is("ask")) ask_routines();
    tool_data->value = 4711;
    find_entry_points(lookup);
    if (!mode_is("late") && !mode_is("bare")) set_all_callbacks();
    return 1;
}

static void finalize(ompt_data_t* tool_data) {
    Line line = line_begin("finalize");
    line_add(&line, " data=%llu", (unsigned long long)tool_data->value);
    line_end(&line);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, {42}};
    log_open();
    Line line = line_begin("start");
    line_add(&line, " version=%u runtime=", omp_version);
    for (const char* c = runtime_version; *c; ++c)
        line_add(&line, "%c", *c == ' ' ? '_' : *c);
    line_end(&line);
    return mode_is("decline") ? NULL : &result;
}

// For programs that know the tool.
__attribute__((visibility("default"))) void ompt_test_attach(void) { set_all_callbacks(); }
__attribute__((visibility("default"))) void ompt_test_detach(void) { clear_all_callbacks(); }
__attribute__((visibility("default"))) void ompt_test_finalize(void) { ask.finalize_tool(); }
