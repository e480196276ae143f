// SPDX-License-Identifier: Apache-2.0
//
// Inline recording of a task's dependences and of its body, for the paths on which the recording is
// the only sink (team::only_traced) and must cost as little as possible. Called by the worker's own
// thread only. events_trace.cpp has all other recording, and the paths with several sinks.
#pragma once

#include "base/clock.h"
#include "probe/trace/stream.h"
#include "task/depend_items.h"
#include "task/depend_table.h"
#include "task/events.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::task::recording {

// The recorded kinds, indexed by ItemKind: what the successor says.
inline constexpr std::uint8_t kItemKinds[] = {TEFF_DEP_IN, TEFF_DEP_OUT, TEFF_DEP_INOUTSET, TEFF_DEP_INOUT,
                                              TEFF_DEP_MUTEXINOUTSET};
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kInoutset)] == TEFF_DEP_INOUTSET);
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kInout)] == TEFF_DEP_INOUT);
static_assert(kItemKinds[static_cast<unsigned>(ItemKind::kMutexinoutset)] == TEFF_DEP_MUTEXINOUTSET);

// The recorded kinds, indexed by DependKind: what the predecessor did.
inline constexpr std::uint8_t kPredecessorKinds[] = {TEFF_DEP_IN, TEFF_DEP_INOUT, TEFF_DEP_INOUTSET};
static_assert(kPredecessorKinds[static_cast<unsigned>(DependKind::kInoutset)] == TEFF_DEP_INOUTSET);

// Records the dependences of one item of a clause. They are the dependences of the task
// `successor_id`, or of a taskwait in this task (`of_wait`), on all tasks that accessed `address`
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

    // Records the dependence on one predecessor. A task that began before the recording has number
    // 0, and is left out. If both numbers are the same, one construct has named the same address
    // twice; this is left out, too.
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
    worker.trace->run(body.began, ended, static_cast<std::uint8_t>(cancelled | stolen), body.task_id, body.region_id);
}

} // namespace teff::task::recording
