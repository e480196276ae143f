// SPDX-License-Identifier: Apache-2.0
//
// Tasks. What a process creates stays with it, in a list of its own memory, and costs no message:
// it is run there by whoever waits there, the newest first. When other processes have nothing to do
// the hub says so (a notice), and the next creation gives away the older half of the list; the
// hub hands the tasks on. Only then memory is exchanged.
//
// A Task is known by its process: its parent, its children, its dependences, and its taskgroup are
// there. A task that runs elsewhere has a second record there, which knows its `origin`; when it
// has ended (Op::done) the first record ends. Its arguments lie in shared memory from the start and
// stay where they are, since objects may point into themselves.
//
// Counts of a taskgroup: each task created in it counts until it and its descendants have ended. A
// task that runs elsewhere has a group of its own there for its descendants, and reports twice:
// that it has ended, and that they have, too (`deep`).
//
// A waiting task runs only tasks that were created after it began: its descendants (the task
// scheduling constraint). Ordinals say so: each process numbers what it creates.
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
// As many tasks as that have a part of a loop each: bounds stand at the head of their arguments.
void create_loop_task(Construct construct, std::uint64_t first, std::uint64_t end);
void wait_for_children();
void offer(); // gives tasks away if others would take them
void wait_for_dependences(const task::DependItems& depend);
// The event of a detachable task, of whatever process. Such a task is not given away.
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
// Asks, and runs what comes until the answer is another one.
Answer serve_until_answered(const Request& request);

} // namespace tasks

} // namespace teff::processes
