// SPDX-License-Identifier: Apache-2.0
//
// Inline recording of a task's dependences and of its body, for the paths on which the recording is
// the only sink (team::only_traced) and has to cost as little as possible. Called by the worker's
// own thread only. All other recording, and the paths with several sinks, are in events_trace.cpp.
#pragma once

#include <utility>

#include "base/clock.h"
#include "probe/trace/stream.h"
#include "task/depend_items.h"
#include "task/depend_table.h"
#include "task/events.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task::recording {

// The recorded kinds of the successor's dependence type, indexed by ItemKind.
inline constexpr std::uint8_t kItemKinds[] = {TEFF_DEP_IN, TEFF_DEP_OUT, TEFF_DEP_INOUTSET, TEFF_DEP_INOUT,
                                              TEFF_DEP_MUTEXINOUTSET};
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kInoutset)] == TEFF_DEP_INOUTSET);
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kInout)] == TEFF_DEP_INOUT);
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kMutexinoutset)] == TEFF_DEP_MUTEXINOUTSET);

// The recorded kinds of the predecessor's access, indexed by DependKind.
inline constexpr std::uint8_t kPredecessorKinds[] = {TEFF_DEP_IN, TEFF_DEP_INOUT, TEFF_DEP_INOUTSET};
static_assert(kPredecessorKinds[static_cast<unsigned>(DependKind::kInoutset)] == TEFF_DEP_INOUTSET);

// Records the dependences of one list item of a clause. The successor is the task `successor_id`,
// or a taskwait in this task (`of_wait`); the predecessors are all tasks that accessed `address`
// (null: all memory).
class Dependences {
  public:
    Dependences(team::Worker& worker, std::uint64_t successor_id, void* address, ItemKind kind,
                DependKind predecessor_kind, bool of_wait)
        : stream_(*worker.trace), when_(stream_.is_creating() ? stream_.creation_began() : base::ticks()),
          successor_id_(successor_id), address_(reinterpret_cast<std::uintptr_t>(address)) {
        const unsigned said = kItemKinds[static_cast<unsigned>(kind)];
        const unsigned did = kPredecessorKinds[static_cast<unsigned>(predecessor_kind)];
        flags_ = (address == nullptr ? unsigned{TEFF_DEP_ALL_MEMORY} : said) | did << TEFF_DEP_PREDECESSOR_SHIFT |
                 (of_wait ? unsigned{TEFF_DEP_OF_WAIT} : 0u);
    }

    // Records the dependence on one predecessor. Two kinds of dependences are left out: those on
    // tasks that began before the recording (their number is 0), and those of a task on itself,
    // which occur if one construct names the same address twice.
    void on(std::uint64_t predecessor_id, bool unfulfilled) {
        if (predecessor_id == successor_id_ || predecessor_id == 0 || successor_id_ == 0) return;
        const unsigned fulfilled = unfulfilled ? 0u : unsigned{TEFF_DEP_FULFILLED};
        stream_.dependence(when_, static_cast<std::uint8_t>(flags_ | fulfilled), successor_id_, predecessor_id,
                           address_);
    }

  private:
    probe::trace::Stream& stream_;
    base::Ticks when_;
    std::uint64_t successor_id_;
    std::uint64_t address_;
    unsigned flags_;
};

inline void body_ends(team::Worker& worker, const events::Body& body, base::Ticks ended) {
    const std::uint64_t creators_stream = body.task_id >> 48;
    const unsigned cancelled = body.skipped ? unsigned{TEFF_RUN_CANCELLED} : 0u;
    const unsigned stolen = creators_stream != worker.number ? unsigned{TEFF_RUN_STOLEN} : 0u;
    const unsigned on_top = body.on_top ? unsigned{TEFF_RUN_ON_TOP} : 0u;
    worker.trace->run(body.began, ended, static_cast<std::uint8_t>(cancelled | stolen | on_top), body.task_id,
                      body.region_id);
}

// takes_call: the creator calls the new task in place (full_queue.h). is_called: returns true once
// after takes_call, unless the worker has created another task meanwhile, which no sink was told
// of.
inline void takes_call(team::Worker& worker) { worker.calls_after = worker.task_ids.last(); }
inline bool is_called(team::Worker& worker) {
    return std::exchange(worker.calls_after, team::Worker::kCallsNone) == worker.task_ids.last();
}

// A task that its creator runs at once, because the task is undeferred or because a queue is full.
// at_once_begins: the body is about to begin; at_once_ends: it has ended. One reading of the clock
// ends the creation and begins the body, and one ends the body and the creator's wait for it. What
// the runtime does after the body is part of no interval, like the storing of a record.
struct AtOnce {
    const char* record; // see Stream
    events::Body body;
};

inline AtOnce at_once_begins(team::Worker& worker, Task& task, const events::Creation& creation) {
    const char* const record = events::trace::begins_at_once(worker, task, creation);
    const events::Body body{.task_id = task.id,
                            .region_id = worker.member->team->recording.region_id,
                            .began = base::ticks(),
                            .skipped = false,
                            .on_top = (task.flags & kUndeferred) != 0};
    worker.trace->creation_ends(body.began);
    return {record, body};
}

inline void at_once_ends(team::Worker& worker, const Task& task, const AtOnce& at_once) {
    const base::Ticks began = at_once.body.began, ended = base::ticks();
    if (TEFF_LIKELY(worker.trace->task_ends_at_once(at_once.record, began, ended))) return;
    body_ends(worker, at_once.body, ended);
    const bool is_deferred = (task.flags & kUndeferred) == 0;
    if (is_deferred) worker.trace->wait(began, ended, TEFF_WAIT_RUN_AT_ONCE, task.parent_id, task.site, 0);
}

} // namespace teff::task::recording
