// SPDX-License-Identifier: Apache-2.0
//
// Detachable tasks: a task with a detach clause is finished when its body has ended and its event
// is fulfilled, whichever comes last. DetachEvent is the protocol.
//
// The event is a separate record, in a block that is never used for anything else. So if the
// program keeps a handle for too long, the handle still leads to a record, and the record's
// generation shows that the handle is stale. The task owns the record; the thread that finishes the
// task gives the record back.
//
// If a task is discarded because its taskgroup or region was cancelled, it is complete without its
// event. A later fulfilment of this event does nothing.
//
// The creator of an undeferred detachable task waits for the event itself (await_event, run.h); the
// fulfiller only wakes the creator.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "task/create.h"

namespace teff::task {

// DetachEvent: the event of a detachable task, as a protocol between the worker that runs the task
// and the thread that fulfils the event (the fulfiller).
//
// One word holds a generation and marks. The worker and the fulfiller add marks; within a
// generation, no mark is ever removed. The steps, with the thread that takes each step and the
// effect:
//
//     open         the creator                                       starts a generation without marks
//     end_body     the worker, when the body has ended               adds kBodyOver
//     fulfil       the fulfiller                                     adds kFulfilled
//     discard      the worker, for a task whose body will not run    starts a generation, too
//     close        the thread that has finished the task             starts a generation, so that old
//                                                                    handles are stale
//
// The worker and the fulfiller each check for the other's mark. The thread that comes second finds
// the other's mark and finishes the task. A discarded task is complete without its event: the
// worker finishes it, whether the event was fulfilled or not.
//
// If a tool observes the task, the two sides also report to the tool one after the other, because
// the tool may free its data of the task at the task's last event. Each side adds a mark before it
// reports (kBodyEnding, kFulfilling), and thereby learns whether the other side came first. Each
// side adds kBodyOver or kFulfilled after it has reported. The side that came second reports when
// the first one's mark is there; until then it waits. A worker that discards the task waits for a
// fulfiller that reports, too, and closes the event before its own report.
//
// [detach-1] Every change is a read-modify-write (acq_rel) of this one word: the thread that comes
//            second sees everything that the first thread did to the task.
// [detach-2] Stale handles: the fulfiller's compare-exchange expects the generation of its handle.
//            If the compare-exchange succeeds, the values that the fulfiller read from the record
//            before are valid, since the record changes only while its generation is closed.
template <class Atomics> class DetachEventOver {
  public:
    // The width of a generation in a handle, in bits. Generations wrap at 2^kGenerationBits.
    static constexpr unsigned kGenerationBits = 23;
    using Generation = std::uint32_t;

    enum class Fulfilment : std::uint8_t {
        kStale,    // the task is complete
        kRepeated, // the event is fulfilled already
        kBodyRuns, // the body has not ended: the task's worker will finish the task
        kFinish,   // the caller finishes the task
    };
    enum class First : bool { kNo, kYes };

    // Starts a new generation and returns it. Called by the creator. Requires a record that is new,
    // or was closed.
    Generation open() {
        const std::uint64_t word = (word_.load(std::memory_order_relaxed) / kOneGeneration + 1) * kOneGeneration;
        word_.store(word, std::memory_order_relaxed); // published with the handle, by the program
        return generation_of(word);
    }

    // Returns the generation that the next open() will return. Called by a creator that names the
    // event before it is open.
    Generation next() const {
        return generation_of((word_.load(std::memory_order_relaxed) / kOneGeneration + 1) * kOneGeneration);
    }

    // Called by the worker, before it notifies a tool of the body's end. Returns whether the worker
    // came before the fulfiller.
    [[nodiscard]] First begin_to_end_body() {
        return (word_.fetch_or(kBodyEnding, std::memory_order_acq_rel) & kFulfilling) == 0 ? First::kYes
                                                                                           : First::kNo; // [detach-1]
    }
    // Called by the worker. Returns true if the event is fulfilled: the caller then finishes the
    // task.
    [[nodiscard]] bool end_body() {
        return (word_.fetch_or(kBodyOver, std::memory_order_acq_rel) & kFulfilled) != 0; // [detach-1]
    }
    // Called by the worker. Closes the event and returns true. Returns false if a fulfiller reports
    // to a tool at the moment: the caller tries again when the event is fulfilled.
    [[nodiscard]] bool try_discard() {
        std::uint64_t word = word_.load(std::memory_order_acquire); // [detach-1]
        do {
            if ((word & (kFulfilling | kFulfilled)) == kFulfilling) return false;
        } while (!word_.compare_exchange_weak(word, closed(word), std::memory_order_acq_rel,
                                              std::memory_order_acquire)); // [detach-1] [detach-2]
        return true;
    }

    // Called by a fulfiller, before it notifies a tool. Returns kBodyRuns if the fulfilment is
    // early (before the body's end), kFinish if it is late.
    [[nodiscard]] Fulfilment begin_to_fulfil(Generation generation) {
        return add_as_fulfiller(generation, kFulfilling, kFulfilling, kBodyEnding);
    }
    [[nodiscard]] Fulfilment fulfil(Generation generation) {
        return add_as_fulfiller(generation, kFulfilling | kFulfilled, kFulfilled, kBodyOver);
    }
    // Returns true if the event is fulfilled. Called by the worker, and by a creator that waits for
    // the event instead of finishing the task.
    [[nodiscard]] bool fulfilled() const {
        return (word_.load(std::memory_order_acquire) & kFulfilled) != 0; // [detach-1]
    }
    // Returns true if the body has ended, and a tool knows this. Called by a late fulfiller.
    [[nodiscard]] bool body_over() const {
        return (word_.load(std::memory_order_acquire) & kBodyOver) != 0; // [detach-1]
    }

    // Called by the thread that has finished the task, or by the creator if no task is created
    // after all.
    void close() {
        word_.store(closed(word_.load(std::memory_order_relaxed)), std::memory_order_release);
    } // [detach-2]

  private:
    static constexpr std::uint64_t kFulfilling = 1, kFulfilled = 2, kBodyEnding = 4, kBodyOver = 8;
    static constexpr std::uint64_t kOneGeneration = 16;

    static Generation generation_of(std::uint64_t word) {
        return static_cast<Generation>(word / kOneGeneration) & ((1u << kGenerationBits) - 1);
    }
    static std::uint64_t closed(std::uint64_t word) { return (word / kOneGeneration + 1) * kOneGeneration; }

    Fulfilment add_as_fulfiller(Generation generation, std::uint64_t marks, std::uint64_t repeated,
                                std::uint64_t late) {
        std::uint64_t word = word_.load(std::memory_order_acquire); // [detach-1]
        do {
            if (generation_of(word) != generation) return Fulfilment::kStale;
            if ((word & repeated) != 0) return Fulfilment::kRepeated;
        } while (!word_.compare_exchange_weak(word, word | marks, std::memory_order_acq_rel,
                                              std::memory_order_acquire)); // [detach-1] [detach-2]
        return (word & late) != 0 ? Fulfilment::kFinish : Fulfilment::kBodyRuns;
    }

    typename Atomics::template atomic<std::uint64_t> word_{0};
};

using DetachEvent = DetachEventOver<base::RealAtomics>;

struct Detachment {
    mem::FreeBlock link; // used while the record is free
    DetachEvent event;
    // These fields are constant while the event is open. They are atomic, because a fulfiller with
    // a stale handle reads them before it knows that the handle is stale.
    std::atomic<Task*> task;
    std::atomic<team::Team*> team;       // notified when the event is fulfilled
    std::atomic<team::Context*> waiter;  // undeferred: the creator's context; else null
    std::atomic<std::uint64_t> recorded; // the task's id, if its creator records; else 0
    std::atomic<bool> observed;          // true if a tool is to be notified
};
static_assert(sizeof(Detachment) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kDetachment)]);

// omp_event_handle_t, as GCC's code passes it: the record's address, with the event's generation in
// the bits that no address uses.
enum class EventHandle : std::uintptr_t {};

// Reserves an event for a task that is to be created. The program may keep the event's handle from
// now on, and may use it once the task exists.
Detachment& reserve_event(team::Worker& worker);
EventHandle handle_of(const Detachment& reserved);
// Opens the event of `task`. Requires that the task exists and that no worker has begun it. Called
// by create.h, not by a construct's entry point.
void open_event(team::Worker& worker, Detachment& reserved, Task& task);
// Makes the handle stale. Called if no task is created because the construct is cancelled.
void retire_event(team::Worker& worker, Detachment& reserved);

// omp_fulfill_event. May be called by any thread of the process, including a thread that is in no
// team.
void fulfill_event(EventHandle handle);

} // namespace teff::task
