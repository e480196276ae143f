// SPDX-License-Identifier: Apache-2.0
//
// Defines all callbacks for the host. Each callback writes its arguments, and the state that the
// runtime reports for the thread, into the log.

#define _GNU_SOURCE
#include "callbacks.h"

#include "entry_points.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE ((const char*)__builtin_frame_address(0))

// The first word of a line: what happened, from the general to the special, as
// "work.loop_dynamic.begin".
static Line event(const char* first, const char* second, const char* third) {
    char text[100];
    snprintf(text, sizeof text, "%s%s%s%s%s", first, second ? "." : "", second ? second : "", third ? "." : "",
             third ? third : "");
    return line_begin(text);
}

// OMPT_LEAVE_IN names an event, with a blank before and behind it: the tool ends itself in it.
static void leave_if_told(const Line* line) {
    const char* where = getenv("OMPT_LEAVE_IN");
    if (where && memmem(line->text, (size_t)line->length, where, strlen(where))) ask.finalize_tool();
}

static void finish(Line* line, const void* codeptr_ra, const char* here) {
    line_add(line, " ra=%lx", (unsigned long)codeptr_ra);
    line_add_place(line, here);
    line_end(line);
    leave_if_told(line);
}

// Must be called before the tool names what `data` belongs to.
static void add_fresh(Line* line, const ompt_data_t* data) { line_add(line, " fresh=%d", data->value == 0); }

static void add_encountering_frame(Line* line, const ompt_frame_t* frame, const char* here) {
    line_add(line, " exit=");
    if (!frame) {
        line_add(line, "- enter=-");
        return;
    }
    line_add_frame(line, frame->exit_frame, frame->exit_frame_flags, here);
    line_add(line, " enter=");
    line_add_frame(line, frame->enter_frame, frame->enter_frame_flags, here);
}

// ---- Threads, regions, implicit tasks
// ----------------------------------------------------------------------------------

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
    Line line = event("thread_begin", word_of(thread_words, type), NULL);
    add_fresh(&line, thread);
    name_fresh(thread, 'T');
    line_add_name(&line, "thread", thread);
    finish(&line, NULL, HERE);
}

static void on_thread_end(ompt_data_t* thread) {
    Line line = event("thread_end", NULL, NULL);
    line_add_name(&line, "thread", thread);
    finish(&line, NULL, HERE);
}

static void on_parallel_begin(ompt_data_t* encountering_task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned requested, int flags, const void* codeptr_ra) {
    char words[160];
    Line line = event("parallel_begin", flags & (int)ompt_parallel_league ? "league" : "team", NULL);
    add_fresh(&line, parallel);
    name_fresh(parallel, 'P');
    line_add_name(&line, "task", encountering_task);
    line_add_name(&line, "parallel", parallel);
    line_add(&line, " requested=%u flags=%s", requested, flags_of(parallel_flag_words, (unsigned)flags, words));
    add_encountering_frame(&line, frame, HERE);
    finish(&line, codeptr_ra, HERE);
}

static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* encountering_task, int flags, const void* codeptr_ra) {
    char words[160];
    Line line = event("parallel_end", flags & (int)ompt_parallel_league ? "league" : "team", NULL);
    line_add_name(&line, "task", encountering_task);
    line_add_name(&line, "parallel", parallel);
    line_add(&line, " flags=%s", flags_of(parallel_flag_words, (unsigned)flags, words));
    finish(&line, codeptr_ra, HERE);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                             unsigned actual_parallelism, unsigned index, int flags) {
    char words[160];
    Line line = event(flags & ompt_task_initial ? "initial" : "implicit", word_of(endpoint_words, endpoint), NULL);
    if (endpoint == ompt_scope_begin) {
        add_fresh(&line, task);
        name_fresh(task, 'K');
        if (flags & ompt_task_initial && parallel) {
            line_add(&line, " region_fresh=%d", parallel->value == 0);
            if (!parallel->value) name_fresh(parallel, 'P');
        }
    }
    line_add_name(&line, "parallel", parallel);
    line_add_name(&line, "task", task);
    line_add(&line, " size=%u index=%u flags=%s", actual_parallelism, index,
             flags_of(task_flag_words, (unsigned)flags, words));
    finish(&line, NULL, HERE);
}

// ---- Work-sharing
// ------------------------------------------------------------------------------------------------------

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    uint64_t count, const void* codeptr_ra) {
    Line line = event("work", word_of(work_words, type), word_of(endpoint_words, endpoint));
    line_add_name(&line, "parallel", parallel);
    line_add_name(&line, "task", task);
    line_add(&line, " count=%llu", (unsigned long long)count);
    finish(&line, codeptr_ra, HERE);
}

static void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind, ompt_data_t instance) {
    Line line = event("dispatch", word_of(dispatch_words, kind), NULL);
    line_add_name(&line, "parallel", parallel);
    line_add_name(&line, "task", task);
    if (kind == ompt_dispatch_iteration || kind == ompt_dispatch_section) {
        line_add(&line, " instance=%llx", (unsigned long long)instance.value);
    } else {
        const ompt_dispatch_chunk_t* chunk = instance.ptr;
        line_add(&line, " start=%llu iterations=%llu", (unsigned long long)chunk->start,
                 (unsigned long long)chunk->iterations);
    }
    finish(&line, NULL, HERE);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                      const void* codeptr_ra) {
    Line line = event("masked", word_of(endpoint_words, endpoint), NULL);
    line_add_name(&line, "parallel", parallel);
    line_add_name(&line, "task", task);
    finish(&line, codeptr_ra, HERE);
}

// ---- Tasks
// -------------------------------------------------------------------------------------------------------------

static void on_task_create(ompt_data_t* encountering_task, const ompt_frame_t* frame, ompt_data_t* task, int flags,
                           int has_dependences, const void* codeptr_ra) {
    char words[160];
    unsigned kind = (unsigned)flags & 0xff;
    Line line = event("task_create", flags_of(task_flag_words, kind, words), NULL);
    add_fresh(&line, task);
    name_fresh(task, 'K');
    line_add_name(&line, "parent", encountering_task);
    line_add_name(&line, "task", task);
    line_add(&line, " flags=%s dependences=%d", flags_of(task_flag_words, (unsigned)flags, words), has_dependences);
    add_encountering_frame(&line, frame, HERE);
    finish(&line, codeptr_ra, HERE);
}

static void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
    Line line = event("dependences", NULL, NULL);
    line_add_name(&line, "task", task);
    line_add(&line, " count=%d list=", count);
    for (int i = 0; i < count; ++i)
        line_add(&line, "%s%s:%llx", i ? "," : "", word_of(dependence_words, list[i].dependence_type),
                 (unsigned long long)list[i].variable.value);
    finish(&line, NULL, HERE);
}

static void on_task_dependence(ompt_data_t* source, ompt_data_t* sink) {
    Line line = event("task_dependence", NULL, NULL);
    line_add_name(&line, "source", source);
    line_add_name(&line, "sink", sink);
    finish(&line, NULL, HERE);
}

static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
    Line line = event("schedule", word_of(status_words, status), NULL);
    line_add_name(&line, "prior", prior);
    line_add_name(&line, "next", next);
    finish(&line, NULL, HERE);
}

// ---- Waiting
// -----------------------------------------------------------------------------------------------------------

static void sync_line(const char* first, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                      ompt_data_t* parallel, ompt_data_t* task, const void* codeptr_ra, const char* here) {
    Line line = event(first, word_of(sync_words, kind), word_of(endpoint_words, endpoint));
    line_add_name(&line, "parallel", parallel);
    line_add_name(&line, "task", task);
    finish(&line, codeptr_ra, here);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                           ompt_data_t* task, const void* codeptr_ra) {
    sync_line("sync", kind, endpoint, parallel, task, codeptr_ra, HERE);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                                ompt_data_t* task, const void* codeptr_ra) {
    sync_line("wait", kind, endpoint, parallel, task, codeptr_ra, HERE);
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                         ompt_data_t* task, const void* codeptr_ra) {
    sync_line("reduction", kind, endpoint, parallel, task, codeptr_ra, HERE);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                             const void* codeptr_ra) {
    Line line = event("acquire", word_of(mutex_words, kind), NULL);
    line_add(&line, " wait=%llx hint=%x impl=%u", (unsigned long long)wait_id, hint, impl);
    finish(&line, codeptr_ra, HERE);
}

static void mutex_line(const char* first, const char* second, ompt_wait_id_t wait_id, const void* codeptr_ra,
                       const char* here) {
    Line line = event(first, second, NULL);
    line_add(&line, " wait=%llx", (unsigned long long)wait_id);
    finish(&line, codeptr_ra, here);
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) {
    mutex_line("acquired", word_of(mutex_words, kind), wait_id, codeptr_ra, HERE);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) {
    mutex_line("released", word_of(mutex_words, kind), wait_id, codeptr_ra, HERE);
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                         const void* codeptr_ra) {
    Line line = event("lock_init", word_of(mutex_words, kind), NULL);
    line_add(&line, " wait=%llx hint=%x impl=%u", (unsigned long long)wait_id, hint, impl);
    finish(&line, codeptr_ra, HERE);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) {
    mutex_line("lock_destroy", word_of(mutex_words, kind), wait_id, codeptr_ra, HERE);
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void* codeptr_ra) {
    mutex_line("nest_lock", word_of(endpoint_words, endpoint), wait_id, codeptr_ra, HERE);
}

// ---- Target constructs
// -------------------------------------------------------------------------------------------------

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num, ompt_data_t* task,
                          ompt_data_t* target_task, ompt_data_t* target, const void* codeptr_ra) {
    Line line = event("target", word_of(target_words, kind), word_of(endpoint_words, endpoint));
    if (endpoint == ompt_scope_begin) {
        add_fresh(&line, target);
        name_fresh(target, 'X');
    }
    line_add(&line, " device=%d", device_num);
    line_add_name(&line, "task", task);
    line_add_name(&line, "target_task", target_task);
    line_add_name(&line, "target", target);
    finish(&line, codeptr_ra, HERE);
}

static void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target, ompt_id_t* host_op_id,
                                 unsigned requested_num_teams) {
    Line line = event("submit", word_of(endpoint_words, endpoint), NULL);
    line_add_name(&line, "target", target);
    line_add(&line, " operation=%d teams=%u", host_op_id != NULL, requested_num_teams);
    finish(&line, NULL, HERE);
}

static void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task, ompt_data_t* target,
                                  ompt_id_t* host_op_id, ompt_target_data_op_t type, void* source, int source_device,
                                  void* destination, int destination_device, size_t bytes, const void* codeptr_ra) {
    (void)host_op_id, (void)source, (void)destination;
    Line line = event("data_op", word_of(data_op_words, type), word_of(endpoint_words, endpoint));
    line_add_name(&line, "target_task", target_task);
    line_add_name(&line, "target", target);
    line_add(&line, " from=%d to=%d bytes=%zu", source_device, destination_device, bytes);
    finish(&line, codeptr_ra, HERE);
}

// ---- The rest
// ----------------------------------------------------------------------------------------------------------

static void on_flush(ompt_data_t* thread, const void* codeptr_ra) {
    Line line = event("flush", NULL, NULL);
    line_add_name(&line, "thread", thread);
    finish(&line, codeptr_ra, HERE);
}

static void on_cancel(ompt_data_t* task, int flags, const void* codeptr_ra) {
    char words[160];
    Line line = event("cancel", flags_of(cancel_flag_words, (unsigned)flags, words), NULL);
    line_add_name(&line, "task", task);
    finish(&line, codeptr_ra, HERE);
}

static void on_error(ompt_severity_t severity, const char* message, size_t length, const void* codeptr_ra) {
    Line line = event("error", word_of(severity_words, severity), NULL);
    line_add(&line, " message=");
    for (size_t i = 0; i < length; ++i)
        line_add(&line, "%c", message[i] == ' ' ? '_' : message[i]);
    finish(&line, codeptr_ra, HERE);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void* argument, const void* codeptr_ra) {
    Line line = event("control_tool", NULL, NULL);
    line_add(&line, " command=%llu modifier=%llu argument=%lx", (unsigned long long)command,
             (unsigned long long)modifier, (unsigned long)argument);
    finish(&line, codeptr_ra, HERE);
    return 7;
}

// ---- Setting them
// ------------------------------------------------------------------------------------------------------

#define ALL(with)                                                                                                      \
    with(thread_begin) with(thread_end) with(parallel_begin) with(parallel_end) with(implicit_task) with(work)         \
        with(dispatch) with(masked) with(task_create) with(dependences) with(task_dependence) with(task_schedule)      \
            with(sync_region) with(sync_region_wait) with(reduction) with(mutex_acquire) with(mutex_acquired)          \
                with(mutex_released) with(lock_init) with(lock_destroy) with(nest_lock) with(flush) with(cancel)       \
                    with(error) with(control_tool) with(target_emi) with(target_submit_emi) with(target_data_op_emi)

// The type of each callback is checked here: the cast alone would take any function.
#define CHECK_TYPE(name) __attribute__((unused)) static const ompt_callback_##name##_t check_##name = on_##name;
typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t, ompt_callback_reduction_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t, ompt_callback_mutex_released_t,
    ompt_callback_lock_destroy_t;
typedef ompt_callback_mutex_acquire_t ompt_callback_lock_init_t;
ALL(CHECK_TYPE)

static void set(const char* name, ompt_callbacks_t which, ompt_callback_t callback) {
    ompt_set_result_t result = ask.set_callback(which, callback);
    Line line = event("set", name, NULL);
    line_add(&line, " result=%d", (int)result);
    line_end(&line);
}

void set_all_callbacks(void) {
#define SET(name) set(#name, ompt_callback_##name, (ompt_callback_t)on_##name);
    ALL(SET)
}

void clear_all_callbacks(void) {
#define CLEAR(name) ask.set_callback(ompt_callback_##name, NULL);
    ALL(CLEAR)
}
