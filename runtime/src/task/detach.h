// SPDX-License-Identifier: Apache-2.0
//
// Detachable tasks: a task with a detach clause is finished when its body has ended and its event
// is fulfilled, whichever comes last. DetachEvent is the protocol.
//
// The event is a record of its own, in a block that is never used for anything else. So a handle
// that the program keeps for too long still leads to a record, whose generation shows that the
// handle is stale. The task owns the record; whoever finishes the task gives it back.
//
// A task that is discarded because its taskgroup or region was cancelled is complete without its
// event. Fulfilling that later does nothing.
//
// The creator of an undeferred detachable task waits for the event itself (await_event, run.h); the
// fulfiller only wakes it.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "task/create.h"

namespace teff::task {

// DetachEvent: the event of a detachable task, as a protocol between the worker that runs the task
// and whoever fulfils the event.
//
// One word holds a generation and marks. The worker and the fulfiller each add marks; nobody takes
// one away.
//
//     open         the creator: a new generation without marks
//     end_body     the worker, when the body has ended                    adds kBodyOver
//     fulfil       the fulfiller                                          adds kFulfilled
//     discard      the worker, for a task whose body will not run         closes, or adds kBodyOver
//     close        whoever has finished the task: a new generation, so that handles of the old one are stale
//
// The task is finished by whoever finds the other's mark: exactly one does. A task that is
// discarded is complete without its event: the worker closes the event and finishes the task,
// unless a fulfiller has begun; then that one finds kBodyOver and finishes it.
//
// With a tool, both sides also agree on what they tell it. Each adds a mark before it tells
// (kBodyEnding, kFulfilling), and so learns whether the other came first. It adds kBodyOver or
// kFulfilled after it has told, so the task is there as long as somebody tells of it.
//
// [detach-1] Every change is a read-modify-write (acq_rel) of the one word: who comes second has
//            seen what the first did to the task.
// [detach-2] A stale handle: the fulfiller's compare-exchange expects the generation of its handle.
//            What it read of the record before is valid if that succeeds, since the record changes
//            only while its generation is closed.
template <class Atomics> class DetachEventOver {
  public:
    // Generations wrap after so many. A handle carries one.
    static constexpr unsigned kGenerationBits = 23;
    using Generation = std::uint32_t;

    enum class Fulfilment : std::uint8_t {
        kStale,    // the task is complete
        kRepeated, // the event is fulfilled already
        kBodyRuns, // the body has not ended: its worker will finish the task
        kFinish,   // the caller finishes the task
    };
    enum class First : bool { kNo, kYes };

    // The creator. The record is new, or was closed.
    Generation open() {
        const std::uint64_t word = (word_.load(std::memory_order_relaxed) / kOneGeneration + 1) * kOneGeneration;
        word_.store(word, std::memory_order_relaxed); // published with the handle, by the program
        return generation_of(word);
    }

    // What the next open() will return: for a creator that names the event before it is open.
    Generation next() const {
        return generation_of((word_.load(std::memory_order_relaxed) / kOneGeneration + 1) * kOneGeneration);
    }

    // The worker, before it notifies a tool of the body's end.
    [[nodiscard]] First begin_to_end_body() {
        return (word_.fetch_or(kBodyEnding, std::memory_order_acq_rel) & kFulfilling) == 0 ? First::kYes
                                                                                           : First::kNo; // [detach-1]
    }
    // True: the event is fulfilled, the caller finishes the task.
    [[nodiscard]] bool end_body() {
        return (word_.fetch_or(kBodyOver, std::memory_order_acq_rel) & kFulfilled) != 0; // [detach-1]
    }
    // True: the caller finishes the task, whose event is closed. False: a fulfiller will.
    [[nodiscard]] bool discard() {
        std::uint64_t word = word_.load(std::memory_order_acquire); // [detach-1]
        std::uint64_t next = 0;
        bool left_to_fulfiller = false;
        do {
            left_to_fulfiller = (word & (kFulfilling | kFulfilled)) == kFulfilling;
            next = left_to_fulfiller ? word | kBodyOver : closed(word);
        } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                              std::memory_order_acquire)); // [detach-1] [detach-2]
        return !left_to_fulfiller;
    }

    // A fulfiller, before it notifies a tool. kBodyRuns: the fulfilment is early; kFinish: it is
    // late.
    [[nodiscard]] Fulfilment begin_to_fulfil(Generation generation) {
        return add_as_fulfiller(generation, kFulfilling, kFulfilling, kBodyEnding);
    }
    [[nodiscard]] Fulfilment fulfil(Generation generation) {
        return add_as_fulfiller(generation, kFulfilling | kFulfilled, kFulfilled, kBodyOver);
    }
    // For who waits in place of finishing.
    [[nodiscard]] bool fulfilled() const {
        return (word_.load(std::memory_order_acquire) & kFulfilled) != 0; // [detach-1]
    }

    // Whoever has finished the task, or has not created it after all.
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
    mem::FreeBlock link; // while it is free
    DetachEvent event;
    // Constant while the event is open. Atomic, since the holder of a stale handle reads them
    // before it knows.
    std::atomic<Task*> task;
    std::atomic<team::Team*> team;       // to notify when the event is fulfilled
    std::atomic<team::Context*> waiter;  // undeferred: its creator's; else null
    std::atomic<std::uint64_t> recorded; // the task's id, if its creator records; else 0
    std::atomic<bool> observed;          // a tool is notified
};
static_assert(sizeof(Detachment) <= mem::kBlockBytes[static_cast<unsigned>(mem::BlockSize::kDetachment)]);

// omp_event_handle_t, as GCC's code passes it around: the record's address and, in the bits that no
// address needs, the event's generation.
enum class EventHandle : std::uintptr_t {};

// An event for a task that is to be created: the program may keep its handle from now on, and use
// it once the task exists.
Detachment& reserve_event(team::Worker& worker);
EventHandle handle_of(const Detachment& reserved);
// The task exists, and nobody has begun it: what a construct's door leaves to create.h.
void open_event(team::Worker& worker, Detachment& reserved, Task& task);
// No task is created, as the construct is cancelled: the handle is stale.
void retire_event(team::Worker& worker, Detachment& reserved);

// omp_fulfill_event, from any thread of the process, also one that is in no team.
void fulfill_event(EventHandle handle);

} // namespace teff::task
