// SPDX-License-Identifier: Apache-2.0
//
// Events: what the workers of a modelled machine did and when, reported to a sink.
//
// A worker is a lane of the time line: a core, or another resource that serves one request at a
// time, such as a link. An event is an interval of a worker's time, and is reported when the
// interval has ended. So the events of one worker come in the order of their ends; of events that
// end together, the inner event comes first. The events of different workers come in any order. The
// intervals of one worker follow each other, or lie inside each other (in waits and barriers). A
// sink reads labels and values at once; they need not live longer than the call.
//
// A model has a pointer to its sink. If the pointer is null, the model makes no events. The sink in
// recording.h writes a recording, which all tools open.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "machine/description.h"

namespace teff::machine {

enum class EventKind : std::uint8_t {
    task,     // something with a name that the worker did: a task's body, or a transfer
    creation, // a task was created
    wait,     // a task waited for others, and the worker may have run some meanwhile
    at_once,  // a task waited for one that its queue had no room for, and that ran at once
    lock,     // a task waited for a lock, and its worker did nothing
    signal,   // a task waited for another to say that it may go on; likewise
    barrier,  // the worker's own part waited at a barrier, and may have run tasks
};

// No task: the event belongs to the worker's own part of the program.
inline constexpr std::uint32_t kNoTask = ~0u;

struct NamedValue {
    std::string_view name;
    std::uint64_t value = 0;
};

// How long a task waited for data, in Time. The sink that stores this value states its unit.
inline constexpr std::string_view kMemoryStall = "memory_stall";

struct Event {
    std::uint32_t worker = 0; // from 0
    EventKind kind = EventKind::task;
    Time begin = 0, end = 0;
    std::string_view label = {};
    // For `creation`: the task that is created; this is the first event about it. For `task`: the
    // task that ran; kNoTask is a task of the worker's own that no other event names.
    std::uint32_t task = kNoTask;
    bool inside = false;                       // of `creation`: the creator goes on when it has ended
    std::span<const std::uint32_t> after = {}; // of `creation`: tasks that have to end before it begins
    std::uint32_t by = kNoTask;                // of all but `task`: the task that does it
    std::span<const NamedValue> values = {};
};

class Sink {
  public:
    virtual ~Sink() = default;
    virtual void take(const Event& event) = 0;
};

} // namespace teff::machine
