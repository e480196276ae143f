// SPDX-License-Identifier: Apache-2.0
//
// Preemption: a thread leaves what it runs, at any instruction of the program, because something of
// higher priority is ready. This folder asks the thread, decides in its signal handler whether the
// instruction is a safe one, and tries again if it is not. It knows threads and priorities; what a
// task is, and how to leave one, is behind the hooks. With TEFF_PREEMPT=kernel the kernel module
// enters the thread in place of the signal (kernel_source.h); everything else is the same.
//
//     requester                        the asked thread
//     ─────────                        ────────────────
//     makes work visible
//     request(target, priority) ─signal─> handler: is this a safe point?
//                                      no:  owed; the retry timer, or the last release
//                                      yes: take the request; hooks.may_switch(priority)?
//                                           no:  nothing; whoever makes more ready asks again
//                                           yes: hooks.switch_away(), in the handler
//                                                ... other tasks run, on other stacks ...
//                                                returns when the task goes on
//                                           return from the signal: the task goes on
//
// The kernel's signal frame on the task's stack is the saved context, complete whatever registers
// the processor has. The task comes back on the same kernel thread, always: the frame and the C
// library's thread-local variables are that thread's. The frame lies below the task's red zone.
// After the module's entry the same holds for what tick_entry_x86_64.S has saved.
//
// Safe point. All of these, in this order:
//   - nothing holds (hold.h);
//   - the instruction is in preemptible code (code_ranges.h): the program's own file, and what the
//     user names. So the C library, the runtime and whatever locks inside a library are out;
//   - the stack is the one that hooks.stack names, with space for another frame and 16 KiB more;
//   - no C++ exception is under way or caught.
//
// [target-1] the store of a registered thread's number (release) pairs with a requester's load
//            (acquire): it sees the rest of the Target set up.
//
// Who may touch what: see Target. Hooks are set once, before the first thread is registered.
//
// What may block, what allocates: `prepare`, `refresh` and `register_thread` read files, allocate
// and take the dynamic linker's lock. `request` makes a system call. The handler takes no lock and
// allocates nothing; what its hooks do is theirs, and what they may do follows from the safe point:
// the thread is in the middle of none of the C library's functions and of none of the runtime's.
//
// fork(): the child has preemption off (`forget_in_child`).
//
// Rejected: interposing the C library's functions by exporting their names (decision 0016); a
// handler on an alternate stack that only edits the frame, which needs a trampoline that saves what
// the kernel has saved already; a periodic signal as the only source, which costs where nothing
// waits as well.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <sys/types.h>

#include "base/atomics.h"
#include "base/cache_line.h"
#include "preempt/hold.h"
#include "preempt/request_word.h"

namespace teff::preempt {

// Why a request was not served at once.
enum class Refusal : std::uint8_t { held, code, stack, exception, nothing };
inline constexpr unsigned kRefusals = 5; // the last: hooks.may_switch had nothing better

// A kernel timer that sends the signal to one thread. For the thread itself.
struct ThreadTimer {
    static constexpr int kNone = -1;
    int id = kNone;
    bool armed = false;
};

// One thread that can be asked. It belongs to whoever registers the thread, and stays where it is
// at least until no requester can have it any more; one that comes after the thread has ended is
// told `gone`.
struct alignas(base::kCacheLine) Target {
    using Word = RequestWordOver<base::RealAtomics>;

    // Requesters and the thread.
    Word word;
    std::atomic<pid_t> thread{0};          // the kernel's number; 0: not registered
    std::atomic<bool> without_retry{true}; // no timer: a request is signalled again
    static constexpr int kNoSlot = -1;
    std::atomic<int> slot{kNoSlot}; // of the kernel module
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> signals{0}; // sent for them

    // The thread and its handler; others may read the counts. Relaxed: one writer.
    alignas(base::kCacheLine) std::atomic<std::uint64_t> looks{0}; // times that the handler looked
    std::atomic<std::uint64_t> served{0};                          // of those, that another task ran
    std::atomic<std::uint64_t> refused[kRefusals]{};
    ThreadTimer retry;
    ThreadTimer tick;
    std::uint32_t retries = 0; // of what is owed, so far
    int perf_file = -1;
};

// The stack on which the thread runs just now: [low, high). Both null: not one to leave.
struct Stack {
    const void* low;
    const void* high;
};

// Called on the thread itself, in its signal handler or in an interposed function at its end.
// `stack` also when it is registered, and when it has come to another stack.
struct Hooks {
    Stack (*stack)(Target& self);
    // Whether something of higher priority than what runs is ready, which `switch_away` will run.
    // `priority` is what was asked for; 0: a periodic look. The request has been taken before this
    // looks ([request-1]). One that cannot look, because it would have to wait for a lock, calls
    // ask_self_again and returns false.
    bool (*may_switch)(Target& self, std::uint32_t priority);
    // Leaves the task, and returns, on the same thread, when it goes on. errno is kept around it.
    void (*switch_away)(Target& self);
    // It was asked, and has not come to a safe point for a while: another thread may be the better
    // choice. Called again and again until it does.
    void (*cannot_soon)(Target& self);
};

void set_hooks(const Hooks& hooks);

// For the library's constructor, after icv::initialise: if TEFF_PREEMPT asks for it, finds the
// preemptible code and interposes its calls. Says nothing before the program uses OpenMP.
void prepare();

// Learns what was loaded since. The interposed dlopen does it as well.
void refresh();

// For the calling thread, once preemption is on; no effect if it is not. Before its first task.
void register_thread(Target& target);
// By the same thread, when it runs no task.
void unregister_thread(Target& target);

// By the thread itself, in the runtime, when it has come to another stack.
void note_change_of_stack(Target& self);
inline void changed_stack(Target& self) {
    if (TEFF_UNLIKELY(is_on())) note_change_of_stack(self);
}

// What a request came to; the last two send nothing, and another thread may be the better choice.
enum class Asked : std::uint8_t { signalled, joined, asleep, gone };

// By any thread but the target's own: something of this priority (1 or more) is ready and visible.
Asked request(Target& target, std::uint32_t priority);

// For hooks.may_switch: it could not look; the retry timer asks again.
void ask_self_again(Target& self, std::uint32_t priority);

// By the thread itself, outside of its handler, which has looked at all that it could do: it knows
// what it was asked for.
void drop_request(Target& self);

// In a forked child, before the program sees it. The thread that forked is not registered there.
void forget_in_child();

} // namespace teff::preempt
