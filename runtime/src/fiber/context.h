// SPDX-License-Identifier: Apache-2.0
//
// Context: a stack, and the point where what runs on it goes on. One thread at a time runs on it.
//
//             start / switch_to            after.function
//     running ────────────────> departing ────────────────> suspended ──switch_to it──> running
//        │    leave_for             by the arriving side
//        └───────────────> departing ──after.function──> ended (start makes it run again)
//
// A kernel thread is always on one context. It begins on the one for its own stack (`Context
// own;`); the others have a stack from the pool (stack_pool.h). The user of this file notes for
// each thread which context it is on.
//
// Who may touch what. Only the thread that is on a context may depart from it. Until the context is
// suspended, no other thread may touch it: its registers are not saved before the thread is on the
// other stack. So the departing side names what has to be done after that (`After`), and the
// arriving side, on the same thread, does it first. That is the place to publish the context as
// resumable (with release, and acquire for the thread that takes it from there) or to give its
// stack back. After the publication the arriving side does not touch the context: another thread
// may run on it already. One thread, chosen by the user, may then switch to it; it need not be the
// one that left.
//
// What a context keeps. At each switch it keeps: the registers that a callee preserves, the control
// words for floating point, errno, and the C++ runtime's record of exceptions that are caught or
// under way. It does not keep: thread-local variables, the signal mask, the alternate signal stack.
// Here a context may come back on another kernel thread; the runtime makes no use of that (decision
// 0014). Then everything that was derived from a thread-local variable, the address of errno
// included, has to be derived again, in a function that the compiler does not inline: compilers
// keep such addresses across calls. And the context comes back with all of its stack, the frames of
// the loop that called the task included. A thread may only end, or return to its caller, on its
// own context: a thread's own context never goes to another thread for good.
//
// A new context starts with the starter's control words, errno of 0, and no exceptions.
// Its function never returns, and nothing is thrown out of it: the C++ runtime ends the program
// (std::terminate), since the stack ends there. pthread_exit and cancellation on a context from the
// pool are not supported, nor is a longjmp to another stack.
//
// Blocks nothing, allocates nothing. Not signal-safe in itself: a handler may switch only if it
// interrupted the program's own code.
//
// Tools: a backtrace ends at teff_fiber_base. AddressSanitizer, ThreadSanitizer (if the program has
// them) and valgrind are told of stacks and switches. ThreadSanitizer sees how threads synchronise
// only if the runtime was built with it as well. Shadow stacks (CET) are not switched: if they are
// on, stack_pool.h gives out no context.
//
// Rejected: ucontext, whose switch makes a system call for the signal mask; a context of its own
// for each task, as most tasks never wait; a thread-local slot for `After`, whose address a
// compiler keeps.
#pragma once

#include <cstddef>

namespace teff::fiber {

struct Frame; // frame_x86_64.h, frame_aarch64.h

// What the arriving side does for the departed one. It must not switch itself.
struct After {
    void (*function)(void* argument);
    void* argument;
};

using Function = void (*)(void* argument);

class Context {
  public:
    // Stands for the stack of the thread that departs from it first.
    constexpr Context() = default;
    // With a stack of its own: [bottom, top), top a multiple of 16. The owner of that memory lets
    // it outlive the context.
    Context(void* bottom, void* top) : bottom_(bottom), bytes_(static_cast<char*>(top) - static_cast<char*>(bottom)) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // The caller stands on this context in all three.

    // Suspends this context, and runs function(argument) on the empty stack of `fresh`. Returns
    // when somebody has switched to this context.
    void start(Context& fresh, Function function, void* argument, After after);

    // Suspends this context, and goes on in `to`, which is suspended. Returns when somebody has
    // switched to this context.
    void switch_to(Context& to, After after);

    // The same for good: what stands on the stack is gone. `after` may start this context again, or
    // unmap it. Not for a thread's own.
    [[noreturn]] void leave_for(Context& to, After after);

    const void* bottom() const { return bottom_; }
    const void* top() const { return static_cast<const char*>(bottom_) + bytes_; }
    // Where it goes on; null while it runs. For its owner alone, and for debuggers.
    const Frame* saved() const { return saved_; }

  private:
    friend struct Departure;
    friend struct Sanitizers;

    Frame* saved_ = nullptr;
    // Of a thread's own stack known only to AddressSanitizer, and from the first departure on.
    const void* bottom_ = nullptr;
    std::size_t bytes_ = 0;
    void* fake_stack_ = nullptr; // AddressSanitizer's: frames that it watches for use after return
    void* tsan_fiber_ = nullptr; // ThreadSanitizer's: it sees each context as a thread
};

// The record of exceptions belongs to a C++ library that may be loaded later than the runtime, or
// out of its sight. This finds it there. Call it before the first context starts. Where such a
// library has been loaded, it may take the dynamic linker's lock; so not while other threads are
// waited for. May be called again, in the same way.
void find_exceptions();

// Whether the calling thread has thrown what is not caught yet, or is in a catch block.
bool exceptions_are_under_way();

// Whether that record was found.
[[nodiscard]] bool knows_exceptions();

// Whether the processor keeps return addresses on a second stack, which a switch would have to
// change as well. Asked for the calling thread; a process has it for all or none.
bool shadow_stack_is_on();

} // namespace teff::fiber
