// SPDX-License-Identifier: Apache-2.0
#include "entry_points.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_LEVELS = 12 };

EntryPoints ask;

static ompt_interface_fn_t found(ompt_function_lookup_t lookup, const char* name) {
    ompt_interface_fn_t function = lookup(name);
    if (!function) {
        fprintf(stderr, "the runtime has no %s\n", name);
        abort();
    }
    return function;
}

void find_entry_points(ompt_function_lookup_t lookup) {
    ask.set_callback = (ompt_set_callback_t)found(lookup, "ompt_set_callback");
    ask.get_callback = (ompt_get_callback_t)found(lookup, "ompt_get_callback");
    ask.get_state = (ompt_get_state_t)found(lookup, "ompt_get_state");
    ask.get_thread_data = (ompt_get_thread_data_t)found(lookup, "ompt_get_thread_data");
    ask.get_parallel_info = (ompt_get_parallel_info_t)found(lookup, "ompt_get_parallel_info");
    ask.get_task_info = (ompt_get_task_info_t)found(lookup, "ompt_get_task_info");
    ask.finalize_tool = (ompt_finalize_tool_t)found(lookup, "ompt_finalize_tool");
}

void line_add_frame(Line* line, ompt_data_t frame, int flags, const char* here) {
    const long reach = 64L << 20;
    long height = (long)((const char*)frame.ptr - here);
    if (!frame.ptr)
        line_add(line, "0");
    else if (height < -reach || height > reach)
        line_add(line, "far");
    else
        line_add(line, "%ld:%x", height, (unsigned)flags);
}

static void line_add_tasks(Line* line, const char* here) {
    for (int level = 0; level < MOST_LEVELS; ++level) {
        int flags = 0, thread_num = -1;
        ompt_data_t *task = NULL, *parallel = NULL;
        ompt_frame_t* frame = NULL;
        char one[32], other[32];
        if (!ask.get_task_info(level, &flags, &task, &frame, &parallel, &thread_num)) break;
        line_add(line, "%s%s,%x,%d,%s,", level ? ";" : " T=", name_of(task, one), (unsigned)flags, thread_num,
                 name_of(parallel, other));
        if (frame) {
            line_add_frame(line, frame->exit_frame, frame->exit_frame_flags, here);
            line_add(line, ",");
            line_add_frame(line, frame->enter_frame, frame->enter_frame_flags, here);
        } else {
            line_add(line, "-,-");
        }
    }
}

static void line_add_regions(Line* line) {
    for (int level = 0; level < MOST_LEVELS; ++level) {
        ompt_data_t* parallel = NULL;
        int team_size = -1;
        char name[32];
        if (!ask.get_parallel_info(level, &parallel, &team_size)) break;
        line_add(line, "%s%s,%d", level ? ";" : " P=", name_of(parallel, name), team_size);
    }
}

void line_add_place(Line* line, const char* here) {
    ompt_wait_id_t wait_id = 0;
    line_add_name(line, "th", ask.get_thread_data());
    line_add(line, " st=%x", (unsigned)ask.get_state(&wait_id));
    line_add_tasks(line, here);
    line_add_regions(line);
}
