// SPDX-License-Identifier: Apache-2.0
//
// Unwinds the stack from inside nested regions and tasks of the program, and compares it with the
// frames that the runtime reports. From the innermost frame outwards, the frames must be
//
//     of the program    below the exit_frame of the current task,
//     of the runtime    from there to the enter_frame of the next outer task,
//     of the program    from there to the exit_frame of that task, and so on,
//
// as far as these tasks are on this thread's stack. The order is that of the canonical frame
// addresses (CFA).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

enum { MOST_FRAMES = 400, MOST_LEVELS = 60 };

static ompt_get_task_info_t get_task_info;
static int faults, checks;

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t* tool_data) {
    (void)initial_device_num, (void)tool_data;
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    return 1;
}

static void finalize(ompt_data_t* tool_data) { (void)tool_data; }

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    return omp_version && runtime_version ? &result : NULL;
}

// ---- The stack
// ---------------------------------------------------------------------------------------------------------

enum Owner { PROGRAM, RUNTIME, OTHER };

typedef struct Stack {
    int count;
    struct {
        uintptr_t cfa;
        enum Owner owner;
        const char* function;
    } frames[MOST_FRAMES];
} Stack;

static enum Owner owner_of(const Dl_info* place) {
    if (strstr(place->dli_fname, "libgomp") || strstr(place->dli_fname, "libomp")) return RUNTIME;
    return strstr(place->dli_fname, "unwound") ? PROGRAM : OTHER;
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context* context, void* argument) {
    Stack* stack = argument;
    Dl_info place = {0};
    if (stack->count == MOST_FRAMES) return _URC_END_OF_STACK;
    if (!dladdr((void*)_Unwind_GetIP(context), &place)) return _URC_END_OF_STACK;
    // What the unwinder calls the frame's CFA is its stack pointer at the call, the canonical
    // address of the frame that it called.
    if (stack->count) stack->frames[stack->count - 1].cfa = _Unwind_GetCFA(context);
    stack->frames[stack->count].cfa = UINTPTR_MAX;
    stack->frames[stack->count].owner = owner_of(&place);
    stack->frames[stack->count].function = place.dli_sname ? place.dli_sname : "?";
    ++stack->count;
    return _URC_NO_REASON;
}

// ---- The levels
// --------------------------------------------------------------------------------------------------------

// Canonical frame addresses of the runtime's frames at a task's two ends; 0 for none.
typedef struct Level {
    uintptr_t exit_cfa, enter_cfa;
} Level;

// On this processor the frame pointer, if there is one, stands two words below the canonical
// address, and the lowest address of a frame that calls others stands at least as far below.
static uintptr_t cfa_of(ompt_data_t frame, int flags) {
    if (!frame.ptr) return 0;
    return (uintptr_t)frame.ptr + ((flags & 0xf0) == ompt_frame_cfa ? 0 : 2 * sizeof(void*));
}

static int read_levels(Level* levels) {
    int count = 0;
    ompt_frame_t* frame = NULL;
    while (count < MOST_LEVELS && get_task_info(count, NULL, NULL, &frame, NULL, NULL) == 2) {
        levels[count].exit_cfa = cfa_of(frame->exit_frame, frame->exit_frame_flags);
        levels[count].enter_cfa = cfa_of(frame->enter_frame, frame->enter_frame_flags);
        ++count;
    }
    return count;
}

static int is_on(const Stack* stack, uintptr_t cfa) {
    return cfa >= stack->frames[0].cfa && stack->count > 1 && cfa <= stack->frames[stack->count - 2].cfa;
}

// Whose must a frame be? Levels on other stacks say nothing: the frames beyond the last level on
// this one are the thread's start.
static enum Owner owner_by_levels(const Stack* stack, const Level* levels, int count, uintptr_t cfa) {
    for (int level = 0; level < count; ++level) {
        if (level > 0 && !levels[level].enter_cfa) continue; // none of its own code: a target task
        if (level > 0 && !is_on(stack, levels[level].enter_cfa)) return RUNTIME;
        if (level > 0 && cfa <= levels[level].enter_cfa) return RUNTIME;
        if (!levels[level].exit_cfa || cfa < levels[level].exit_cfa) return PROGRAM;
    }
    return RUNTIME;
}

static void print(const Stack* stack, const Level* levels, int count) {
    static const char* const names[] = {"program", "runtime", "other"};
    for (int i = 0; i < stack->count; ++i)
        fprintf(stderr, "  %lx %s %s, by the levels %s\n", (unsigned long)stack->frames[i].cfa,
                names[stack->frames[i].owner], stack->frames[i].function,
                names[owner_by_levels(stack, levels, count, stack->frames[i].cfa)]);
    for (int i = 0; i < count; ++i)
        fprintf(stderr, "  level %d: exit %lx enter %lx\n", i, (unsigned long)levels[i].exit_cfa,
                (unsigned long)levels[i].enter_cfa);
}

__attribute__((noinline)) static void check(const char* where) {
    Stack stack = {.count = 0};
    Level levels[MOST_LEVELS];
    int wrong = 0, seen[2] = {0, 0};
    _Unwind_Backtrace(add_frame, &stack);
    int count = read_levels(levels);
    for (int i = 0; i < stack.count; ++i) {
        if (stack.frames[i].owner == OTHER) continue;
        seen[stack.frames[i].owner] = 1;
        wrong += stack.frames[i].owner != owner_by_levels(&stack, levels, count, stack.frames[i].cfa);
    }
    wrong += !count || !seen[PROGRAM];
#pragma omp critical
    {
        ++checks;
        if (wrong && ++faults == 1) {
            fprintf(stderr, "%s: %d frames are another's than the levels say\n", where, wrong);
            print(&stack, levels, count);
        }
    }
}

// ---- The program
// -------------------------------------------------------------------------------------------------------

static void tree(int depth) {
    check("a task");
    if (depth == 0) return;
#pragma omp task
    tree(depth - 1);
#pragma omp task if (0)
    tree(depth - 1);
#pragma omp taskwait
    check("a task that waited");
}

static void inner(void) {
#pragma omp parallel num_threads(2)
    {
        check("an inner region");
#pragma omp single
        tree(2);
    }
}

int main(void) {
#pragma omp parallel
    {
        check("a region");
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 8; ++i)
            check("a loop");
#pragma omp single
        {
            tree(4);
#pragma omp taskgroup
            {
#pragma omp task
                inner();
            }
#pragma omp taskloop num_tasks(4)
            for (int i = 0; i < 8; ++i)
                check("a taskloop");
        }
        inner();
        check("the end of a region");
    }
    check("outside");
#pragma omp target
    check("a target region");
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait
        check("a deferred target region");
    }
#pragma omp teams num_teams(2)
    check("a team of a league");
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 8; ++i)
        check("a combined loop");
#pragma omp parallel sections
    {
        check("the first section");
#pragma omp section
        check("the second section");
    }
    if (faults) fprintf(stderr, "%d of %d stacks are wrong\n", faults, checks);
    return faults != 0;
}
