// SPDX-License-Identifier: Apache-2.0
//
// Preemption: a thread leaves what it runs, at any instruction of the program, because something of
// higher priority is ready. The code in this folder asks the thread, decides in the thread's signal
// handler whether the instruction is a safe point, and tries again if it is not. The folder knows
// threads and priorities only. The hooks know what a task is and how to leave it. With
// TEFF_PREEMPT=kernel the kernel module enters the thread instead of the signal (kernel_source.h);
// everything else is the same.
//
//     requester                        the asked thread
//     ─────────                        ────────────────
//     makes work visible
//     request(target, priority) ─signal─> handler: is this a safe point?
//                                      no:  owed; the retry timer, or the last release
//                                      yes: take the request; hooks.may_switch(priority)?
//
//                                        no:  nothing; the next requester asks again
//
//                                        yes: hooks.switch_away(), in the handler
//
//                                             ... other tasks run, on other stacks ...
//
//                                             returns when the task continues
//
//                                      return from the signal: the task continues
//
// The kernel's signal frame on the task's stack is the saved context. It is complete, whatever
// registers the processor has. The task always continues on the same kernel thread, because the
// frame and the C library's thread-local variables belong to that thread. The frame lies below the
// task's red zone. If the kernel module has entered the thread, all this also applies to what
// tick_entry_x86_64.S has saved.
//
// Safe point. All of the following hold; they are checked in this order:
//
//   - The thread has no hold (hold.h).
//   - The instruction is in preemptible code (code_ranges.h): the program's own file, and the files
//     that the user names. This excludes the C library, the runtime, and all libraries that take
//     locks inside their functions.
//   - The stack is the one that hooks.stack returns, with space for another frame and 16 KiB more.
//   - No C++ exception is under way or caught.
//
// [target-1] The store of a registered thread's number (release) pairs with a requester's load
//            (acquire): the requester sees that the rest of the Target is set up.
//
// Who may touch what: see Target. Hooks are set once, before the first thread is registered.
//
// What may block, what allocates: `prepare`, `refresh` and `register_thread` read files, allocate
// and take the dynamic linker's lock. `request` makes a system call. The handler takes no lock and
// allocates nothing. The hooks that it calls may do both, because at a safe point the thread is in
// no function of the C library and in no function of the runtime.
//
// fork(): preemption is off in the child (`forget_in_child`).
//
// Rejected: interposing the C library's functions by exporting their names (decision 0016); a
// handler on an alternate stack that only edits the frame, because it needs a trampoline that saves
// what the kernel has saved already; a periodic signal as the only source, because it also costs
// time if nothing waits.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <sys/types.h>

#include "base/atomics.h"
#include "base/cache_line.h"
#include "base/clock.h"
#include "preempt/hold.h"
#include "preempt/request_word.h"

namespace teff::preempt {

// The reason why a request was not served at once.
enum class Refusal : std::uint8_t { held, code, stack, exception, nothing };
inline constexpr unsigned kRefusals = 5; // the last: hooks.may_switch found nothing better

// A kernel timer that sends the signal to one thread. Used by that thread only.
struct ThreadTimer {
    static constexpr int kNone = -1;
    int id = kNone;
    bool armed = false;
};

// A call that was diverted (diversions.h). Touched by the thread and its handlers only.
struct DiversionNote {
    std::atomic<std::uintptr_t> slot{0}; // where the stack has the return address; 0: free
    std::atomic<std::uintptr_t> back{0}; // where the program goes on
};
inline constexpr unsigned kDiversions = 16; // of one thread at a time

// One thread that can be asked. The Target belongs to the code that registers the thread. It must
// stay where it is until no requester can reach it any more. A requester that comes after the
// thread has ended gets the answer `gone`.
struct alignas(base::kCacheLine) Target {
    using Word = RequestWordOver<base::RealAtomics>;

    // Touched by requesters and by the thread.
    Word word;
    std::atomic<pid_t> thread{0};          // the kernel's thread number; 0: not registered
    std::atomic<bool> without_retry{true}; // the thread has no timer: each request is signalled
    static constexpr int kNoSlot = -1;
    std::atomic<int> slot{kNoSlot};       // index of its slot in the kernel module
    std::atomic<base::Ticks> asked_at{0}; // when the last signal was sent
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> signals{0}; // signals sent for these requests
    // When the pending request was made; 0: not known. The thread takes first the request and then
    // this time. If another request arrives in between, the time of the new request is lost, or is
    // mistaken for the time of the request that was taken.
    std::atomic<base::Ticks> asked_since{0};

    // Touched by the thread and its handler; other threads may read the counts. Relaxed: one
    // writer.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> looks{0}; // times that the handler looked
    std::atomic<std::uint64_t> served{0};                          // those after which another task ran
    std::atomic<std::uint64_t> refused[kRefusals]{};
    ThreadTimer retry;
    ThreadTimer tick;
    ThreadTimer watch;
    std::uint32_t retries = 0; // retries of the owed request so far
    // While switch_away is called: the signal has interrupted code of a preemptible file, so that
    // the task may continue on another thread.
    bool in_own_code = false;
    int perf_file = -1;
    DiversionNote notes[kDiversions];
};

// The stack on which the thread runs now: [low, high). Both null: a stack that must not be left.
struct Stack {
    const void* low;
    const void* high;
};

// The hooks are called on the thread itself, in its signal handler or at the end of an interposed
// function. `stack` is also called when the thread is registered, and when it has changed its
// stack.
struct Hooks {
    Stack (*stack)(Target& self);
    // Returns true if something is ready that has a higher priority than what runs; `switch_away`
    // will run it. `priority` is the priority that was asked for, or 0 for a periodic look. The
    // request has been taken before the hook looks ([request-1]). A hook that cannot look, because
    // it would have to wait for a lock, calls ask_self_again and returns false.
    bool (*may_switch)(Target& self, std::uint32_t priority);
    // Leaves the task, and returns when the task continues: on the same thread, unless in_own_code
    // was set. Keeps errno.
    void (*switch_away)(Target& self);
    // Called when the thread was asked and has not reached a safe point for a while: another thread
    // may be the better choice. Called repeatedly until the thread reaches a safe point.
    void (*cannot_soon)(Target& self);
    // Called kWatch_us after the thread has called `watch`. The thread may be at any point.
    void (*watched)(Target& self);
    // Called by drop_request when it has dropped a request of this priority.
    void (*dropped)(Target& self, std::uint32_t priority) = [](Target&, std::uint32_t) {};
};

void set_hooks(const Hooks& hooks);

// Called by the library's constructor, after icv::initialise. If TEFF_PREEMPT asks for preemption,
// finds the preemptible code and interposes its calls. Prints nothing before the program uses
// OpenMP.
void prepare();

// Learns which files were loaded since the last call. The interposed dlopen also calls it.
void refresh();

// Switches preemption off and on while the program runs, for the whole process. While it is off,
// no thread is asked, and a thread that was asked goes on. Any thread may call it; the others learn
// of it soon. Returns what was set before.
bool set_active(bool wanted);
inline bool is_active() { return is_on() && detail::active.load(std::memory_order_relaxed); }

// Makes threads stay in the code of this function, with what was inlined there, but not in the
// functions that it calls. Returns false if the code cannot be told.
bool exempt(const void* function);

// Registers the calling thread, before its first task. Has no effect while preemption is off.
void register_thread(Target& target);
// Called by the same thread, when it runs no task.
void unregister_thread(Target& target);

// Called by the thread itself, in the runtime, when it has changed to another stack.
void note_change_of_stack(Target& self);
inline void changed_stack(Target& self) {
    if (TEFF_UNLIKELY(is_on())) note_change_of_stack(self);
}

// The result of a request. For asleep and gone nothing was sent, and another thread may be the
// better choice.
enum class Asked : std::uint8_t { signalled, joined, asleep, gone };

// Asks the target's thread to look: something of this priority (1 or more) is ready and visible.
// May be called by any thread except the target's own.
Asked request(Target& target, std::uint32_t priority);

// Returns about how many ticks a preemption costs, as far as measured: the sender's call, the time
// until the signal arrives, and as much again for the receiver's handler and its return. 0 before
// the first.
base::Ticks price();

// For hooks.may_switch, when it could not look: the retry timer asks again.
void ask_self_again(Target& self, std::uint32_t priority);

// Sees to it that hooks.watched is called once, in this thread's handler. For a thread that has
// made something ready and has asked no thread, as asking did not seem to pay. Called by the thread
// itself.
inline constexpr std::uint32_t kWatch_us = 1000;
void watch(Target& self);

// Drops what was asked for. Called by the thread itself, outside of its handler, when it has looked
// at everything that it could run.
void drop_request(Target& self);
// Drops the pending request without calling Hooks::dropped, and returns its priority, or 0 if there
// was none. Requires that preemption is on. The handler of the thread may call it, too.
std::uint32_t forget_request(Target& self);

// Called in a forked child, before the program continues there. The thread that forked is not
// registered in the child.
void forget_in_child();

} // namespace teff::preempt
