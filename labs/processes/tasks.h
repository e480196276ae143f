// SPDX-License-Identifier: Apache-2.0
//
// Tasks. A task stays with the process that creates it, in a list in that process's own memory, and
// needs no message: the process runs its tasks when it waits, the newest first. When other
// processes are idle, the hub sends a notice. When the process next creates a task, it gives away
// the older half of the list, and the hub passes these tasks on. Memory is exchanged only in this
// case.
//
// A Task's parent, children, dependences and taskgroup are known to the process that created it. A
// task that runs in another process has a second record there, which names its `origin`; when the
// task has ended (Op::done), the first record ends, too. A task's arguments lie in shared memory
// from the start and are not moved, because objects may contain pointers into themselves.
//
// The count of a taskgroup: each task that is created in it counts until the task and its
// descendants have ended. A task that runs in another process has a group of its own there for its
// descendants. It sends two reports: when it has ended, and when its descendants have ended, too
// (`deep`).
//
// A waiting task runs only tasks that were created after it began, which are its descendants (the
// task scheduling constraint). Ordinals show which tasks these are: each process numbers the tasks
// that it creates.
#pragma once

#include <cstdint>

#include "icv/icv.h"
#include "processes/message.h"
#include "task/depend_items.h"

namespace teff::processes {

struct Task;

namespace tasks {

enum Flag : std::uint32_t { kFinal = 1, kGrouped = 2, kUndeferred = 4, kImplicit = 8 };

struct Construct {
    void (*function)(void*);
    void* data;
    void (*copy)(void*, void*);
    std::size_t bytes, alignment;
    std::uint32_t flags;
    task::DependItems depend = {};
    void* event = nullptr; // where a detachable task's handle goes, and at the head of `data`
};

void create(const Construct& construct);
// Creates one of the tasks of a taskloop. The bounds of its part of the loop are at the beginning
// of its arguments.
void create_loop_task(Construct construct, std::uint64_t first, std::uint64_t end);
void wait_for_children();
void offer(); // gives tasks away if others would take them
void wait_for_dependences(const task::DependItems& depend);
// Fulfils the event of a detachable task of any process. A detachable task is not given away.
void fulfil(std::uint64_t handle);
void begin_group();
void end_group();
bool is_in_final();
bool is_explicit();
std::uint64_t current_id(); // not 0, and no other task's of this process

// The current task's: reductions.h.
std::uintptr_t*& reduction_blocks();

// The settings of the current task.
icv::TaskIcvs& icvs();

// Regions.
Task* begin_implicit(const icv::TaskIcvs& icvs);
void forget_implicit(Task* implicit); // its tasks have ended, here
void end_implicit(Task* implicit);
void run_all(); // all tasks that are ready here
// Sends the request, and runs the tasks that come as answers until another answer comes.
Answer serve_until_answered(const Request& request);

} // namespace tasks

} // namespace teff::processes
