// SPDX-License-Identifier: Apache-2.0
//
// The messages between a process and the hub. A process sends requests. Some requests need an
// answer, which the hub sends at once, or when the event for which the request waits has happened.
// A process waits for at most one answer at a time, so the hub may write an answer to it at any
// time. In addition the hub sends a Notice to a process that has work to give away.
//
// Request: header, payload, changes. Answer: header, events, changes.
#pragma once

#include <cstdint>

#include "icv/icv.h"
#include "processes/loops.h"

namespace teff::processes {

// Requests that are marked with an arrow get an answer; the answer is `go_on` unless another one is
// named.
enum class Op : std::uint32_t {
    // a new worker has started: a = its process id
    here,
    // the worker is ready for regions -> start
    hello,
    // the first process begins a region: a = function, b = data, c = members; payload: Settings
    region,
    // the implicit task has ended -> for a worker start; task, events
    join,
    // -> task, events
    barrier,
    // waits for tasks in other processes; may run its own tasks from ordinal a on; with a flag,
    // also those of its implicit task -> task, events
    wait,
    // FlushFlags -> go_on
    flush,
    // tasks that others may run; payload: TaskMessage[]
    exported,
    // a task of another process has ended: a = its process, b = its token; flag: with its
    // descendants
    done,
    // the event of a detachable task: a = its process, b = its token
    fulfil,
    // payload: addresses of blocks of others
    freed,
    // a = which, b = owner, c = times; LockFlags -> a = depth, or success
    lock,
    // a = which
    unlock,
    // chunks of a loop: see Handing -> a = first, b = last (none: equal), c = the chunk's number
    loop,
    // waits for the turn of chunk b of construct a ->
    ordered,
    // the turn of chunk b of construct a has ended; c = the number of chunks, if it is a static
    // loop
    turn_over,
    // a = construct -> a = whether this process executes it
    single,
    // single copyprivate: a = construct, b = address
    copy_out,
    // a = construct -> a = address
    copy_in,
};

// The reason for a flush. kYield: the program yields, so it may wait for something. kBeat: the
// flush is a beat, which does not depend on what the program does.
enum FlushFlag : std::uint32_t { kYield = 1, kBeat = 2 };
enum LockFlag : std::uint32_t { kTry = 1, kNested = 2 };
enum LoopFlag : std::uint32_t { kOrderedLoop = 1 };

struct Request {
    Op op;
    std::uint32_t flags;
    std::uint64_t a, b, c, d;
    bool memory; // the changes are all that there were, and what was leased is given back
    std::uint64_t payload_bytes, change_bytes;
};

enum class What : std::uint32_t {
    go_on,  // what was asked for
    start,  // a region: a = function, b = data, c = members, d = own number; then come its Settings
    task,   // run the task whose TaskMessage comes now; then ask again
    events, // nothing yet, but events; then ask again
    update, // nothing but changes; go on waiting for the answer
    notice, // somebody would take tasks; no answer
    exit,   // the run is over: end with status a
};

struct Answer {
    What what;
    std::uint32_t events;
    std::uint64_t a, b, c, d;
    std::uint64_t change_bytes;
};

enum class EventKind : std::uint32_t { task_done, task_deeply_done, fulfilled, freed };

struct Event {
    EventKind kind;
    std::uint32_t unused;
    std::uint64_t value;
};

// A task that is sent to another process. Its arguments lie in shared memory.
struct TaskMessage {
    std::uint64_t function, arguments, token;
    std::uint64_t ordinal;    // of its creation, in its process
    std::uint64_t reductions; // see reductions.h
    std::uint32_t origin, flags;
    std::uint32_t root; // whose implicit task it descends from
    icv::TaskIcvs icvs;
};

// The settings that the members of a region inherit. They are sent with `start`.
struct Settings {
    icv::TaskIcvs icvs;
    std::uint32_t level; // of nesting, the region itself included
    bool has_loop;       // that all members are in from the start
    loops::Loop loop;
    std::uint32_t team_number, team_count; // of the league
};

// The fields of Op::loop: a = construct, b = iterations, c = chunk (not 0), d = how the chunks are
// handed out.
enum class Handing : std::uint64_t { dynamic, guided };

} // namespace teff::processes
