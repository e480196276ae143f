// SPDX-License-Identifier: Apache-2.0
// The records of tasks (tasks.h). They lie in this process's own memory, and are reference-counted.
#pragma once

#include <cstdint>

#include "icv/icv.h"

namespace teff::processes {

struct Task;
struct DependTable;
struct Successor;

struct Group {
    Group* outer = nullptr;
    std::uintptr_t* outer_reductions = nullptr;
    Task* of = nullptr;   // a task of another process whose descendants these are; else null
    unsigned pending = 0; // tasks that have not ended, with their descendants
};

struct Task {
    void (*function)(void*) = nullptr;
    void* arguments = nullptr;
    Task* parent = nullptr;
    Group* group = nullptr;           // in which it was created
    Group* innermost_group = nullptr; // in which it creates
    Group descendants = {};           // of a task of another process
    DependTable* table = nullptr;     // its children's dependences
    Successor* successors = nullptr;
    std::uintptr_t* reductions = nullptr; // the blocks of reductions.h
    std::uint64_t ordinal = 0, started_at = 0;
    std::uint64_t token = 0;  // in the process that created it,
    std::uint32_t origin = 0; // which is this one
    std::uint32_t flags = 0;
    std::uint32_t root = 0; // the process from whose implicit task it descends
    unsigned references = 1;
    unsigned children = 0;    // that have not ended
    unsigned awaited = 0;     // tasks that must end before
    bool held_back = false;   // somebody waits to run it: it is not to be listed when nothing is awaited
    unsigned open_events = 0; // 1: a detachable task whose event is not fulfilled
    bool own_arguments = false, ended = false, body_ended = false;
    icv::TaskIcvs icvs = {};
};

namespace tasks {
void drop(Task* task); // a reference
}

} // namespace teff::processes
