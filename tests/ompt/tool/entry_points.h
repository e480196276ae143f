// SPDX-License-Identifier: Apache-2.0
//
// The runtime's entry points, and what they report about the calling thread.

#ifndef OMPT_TEST_ENTRY_POINTS_H
#define OMPT_TEST_ENTRY_POINTS_H

#include "log.h"

typedef struct EntryPoints {
    ompt_set_callback_t set_callback;
    ompt_get_callback_t get_callback;
    ompt_get_state_t get_state;
    ompt_get_thread_data_t get_thread_data;
    ompt_get_parallel_info_t get_parallel_info;
    ompt_get_task_info_t get_task_info;
    ompt_finalize_tool_t finalize_tool;
} EntryPoints;

extern EntryPoints ask;

// Ends the process if one is missing.
void find_entry_points(ompt_function_lookup_t lookup);

// Adds where the calling thread is:
//     th=T1 st=1
//     T=LEVEL;LEVEL...   of tasks, the current one first: NAME,flags,thread number,region,exit frame,enter frame
//     P=LEVEL;LEVEL...   of regions, the innermost first: NAME,team size
// A frame is given as its height above `here` in bytes, 0 for none, "far" if it is not on this part
// of this thread's stack.
void line_add_place(Line* line, const char* here);

// The height of a frame above `here`, as above.
void line_add_frame(Line* line, ompt_data_t frame, int flags, const char* here);

#endif
