// SPDX-License-Identifier: Apache-2.0
#include "preempt/handler.h"

#include <cassert>
#include <cerrno>
#include <optional>
#include <sys/auxv.h>
#include <ucontext.h>

#include "base/system_call.h"
#include "fiber/context.h"
#include "preempt/code_ranges.h"
#include "preempt/cost.h"
#include "preempt/diversions.h"
#include "preempt/interpose_signals.h"
#include "preempt/kernel_source.h"
#include "preempt/libraries.h"
#include "preempt/thread_timers.h"

namespace teff::preempt {

namespace detail {
constinit thread_local Own own;
constinit std::atomic<bool> on{false};
constinit std::atomic<bool> in_program{false};
constinit std::atomic<bool> by_function{false};
constinit std::atomic<bool> active{true};
} // namespace detail

constinit Cost cost;

namespace {

using detail::own;

// Until they are set, there is no stack to leave.
constinit Hooks hooks{.stack = [](Target&) { return Stack{nullptr, nullptr}; },
                      .may_switch = [](Target&, std::uint32_t) { return false; },
                      .switch_away = [](Target&) {},
                      .cannot_soon = [](Target&) {},
                      .watched = [](Target&) {}};

// Nobody else has these addresses.
constinit char marks[4] = {};

// Nothing: it is the program's.
std::optional<Mark> mark_of(const siginfo_t& info, const Target* self) {
    if (info.si_code == SI_QUEUE || info.si_code == SI_TIMER) {
        for (const Mark mark : {Mark::request, Mark::retry, Mark::tick, Mark::watch})
            if (info.si_value.sival_ptr == value_of(mark).sival_ptr) return mark;
        return std::nullopt;
    }
    const bool of_a_file = info.si_code >= POLL_IN && info.si_code <= POLL_HUP;
    if (of_a_file && self != nullptr && self->perf_file >= 0 && info.si_fd == self->perf_file) return Mark::tick;
    return std::nullopt;
}

// For counts with one writer.
void count(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool has_room(Target& self, const void* stack_pointer) {
    const Stack stack = hooks.stack(self);
    const auto low = reinterpret_cast<std::uintptr_t>(stack.low);
    const auto at = reinterpret_cast<std::uintptr_t>(stack_pointer);
    return at < reinterpret_cast<std::uintptr_t>(stack.high) && at > low && at - low >= least_stack_room();
}

// Where the program stands, and how the thread came to look.
struct Place {
    Interrupted at;
    std::optional<base::arch::FloatModes> modes = std::nullopt; // the program's, if we run under others
    bool in_signal = false;                                     // ours, which is blocked
    bool is_tick = false;                                       // of a timer
};

// The way from the library in which the thread stands to the program.
std::optional<WayBack> way_back(Target& self, const Place& place) {
    const Stack stack = hooks.stack(self);
    const auto low = reinterpret_cast<std::uintptr_t>(stack.low);
    const auto at = reinterpret_cast<std::uintptr_t>(place.at.stack_pointer);
    if (!place.at.frame_pointer || at <= low) return std::nullopt;
    const Registers registers{reinterpret_cast<std::uintptr_t>(place.at.instruction), at, *place.at.frame_pointer};
    return way_back(registers, stack.high);
}

// Why the thread may not be taken away where it stands; nothing if it may. `in_pure`: it stands in
// a pure function that the program has called.
std::optional<Refusal> why_not(Target& self, const Place& place, bool in_pure = false) {
    if (own.held.load(std::memory_order_relaxed) != 0) return Refusal::held;
    if (!in_pure && !is_preemptible(place.at.instruction)) return Refusal::code;
    if (!has_room(self, place.at.stack_pointer)) return Refusal::stack;
    if (fiber::exceptions_are_under_way()) return Refusal::exception; // last: it may call the C++ library
    return std::nullopt;
}

Retry retry_after(Refusal refusal) { return refusal == Refusal::exception ? Retry::timer : Retry::ticks; }

// `in_pure`: as for why_not. After this call the thread may be another one, if the signal has
// interrupted the program's own code.
void take_and_serve(Target& self, const Place& place, bool in_pure) {
    stop_module_ticks(self);
    const std::uint32_t priority = self.word.take();
    own.owed.store(false, std::memory_order_relaxed);
    disarm(self.retry);
    self.retries = 0;
    if (!hooks.may_switch(self, priority)) return count(self.refused[static_cast<int>(Refusal::nothing)]);
    count(self.served);
    // What runs now takes our signal again; the return from the handler sets the task's own mask.
    // And it begins with the program's rounding and flushing, as any call does.
    if (place.in_signal) unblock_own_signal();
    if (place.modes) base::arch::set_float_modes(*place.modes);
    self.in_own_code = place.in_signal && !in_pure;
    hooks.switch_away(self);
}

// The last step of the handler. `self`: the thread that the signal has interrupted. The task may
// continue on another thread: then the return from the handler must leave that thread's signal mask
// and alternate stack as they are. Not compiled into the handler, because compilers keep addresses
// of thread-local variables.
[[gnu::noinline]] void finish_handler(const Target* self, void* context, int errno_before) {
    if (TEFF_UNLIKELY(self != nullptr && detail::own_target() != self)) {
        auto& frame = *static_cast<ucontext_t*>(context);
        (void)base::call(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &frame.uc_sigmask, _NSIG / 8);
        (void)base::call(SYS_sigaltstack, nullptr, &frame.uc_stack);
    }
    errno = errno_before;
}

// A tick needs no request, and the next one is its retry.
void decide(Target& self, const Place& place) {
    const bool asked = self.word.asked() != 0;
    if (!asked && !place.is_tick) return;                // served meanwhile
    if (!is_active()) return void(forget_request(self)); // nobody is told: perhaps this is the middle of a record
    auto refusal = why_not(self, place);
    const auto way = refusal == Refusal::code ? way_back(self, place) : std::nullopt;
    if (way && way->is_pure) refusal = why_not(self, place, true);
    if (!refusal) return take_and_serve(self, place, way && way->is_pure);
    count(self.refused[static_cast<int>(*refusal)]);
    if (!asked) return;
    const bool diverted = way && divert(way->slot, hooks.stack(self).low, place.at.stack_pointer);
    if (diverted && !way->in_system_call) return own.owed.store(true, std::memory_order_relaxed);
    put_off(self, retry_after(*refusal)); // another thread may be the better choice
}

// Returns true in a child of vfork, which runs on its parent's stack and with its parent's
// thread-local variables. The kernel is asked, because the C library may give the parent's number.
bool is_in_other_process(const Target& self) {
    return base::call(SYS_gettid) != self.thread.load(std::memory_order_relaxed);
}

// Not in our signal. Where that is blocked, this is a handler of the program's: it may have
// interrupted anything.
void decide_outside_of_handlers(Target& self, const Place& place) {
    if (is_in_other_process(self)) return; // the parent looks: its signal or its timer waits for it
    count(self.looks);
    if (!block_own_signal()) return put_off(self, Retry::timer);
    unblock_own_signal();
    decide(self, place);
}

// For calls that serve what is owed at their end: they stand above the caller's frame.
void decide_at_return(Target& self, const void* caller) {
    const int before = errno;
    decide_outside_of_handlers(self, {.at = {caller, __builtin_frame_address(0)}});
    errno = before;
}

} // namespace

void detail::serve(const void* caller) {
    Target* const self = detail::own_target();
    if (self == nullptr || self->word.is_asleep()) return;
    if (is_diverted(caller)) return; // it looks when it has returned
    decide_at_return(*self, caller);
}

void serve_after_sleep(Target& self, const void* caller) {
    if (own.held.load(std::memory_order_relaxed) != 0) return put_off(self, Retry::ticks); // no retry was left
    own.owed.store(true, std::memory_order_relaxed);
    decide_at_return(self, caller);
}

void on_signal(int signal, siginfo_t* info, void* context) {
    const int before = errno;
    Target* const self = detail::own_target();
    const auto mark = mark_of(*info, self);
    // A request's signal is lost if one of the program's waits for the thread: so look in any case.
    if (!mark) chain(signal, info, context);
    if (self != nullptr && is_on()) {
        count(self->looks);
        if (mark == Mark::retry) self->retry.armed = false;
        if (mark == Mark::watch) {
            self->watch.armed = false;
            hooks.watched(*self);
        }
        if (mark == Mark::request) cost.arriving.add(base::ticks() - self->asked_at.load(std::memory_order_relaxed));
        decide(*self, {.at = {base::arch::interrupted_instruction(context), base::arch::interrupted_stack(context),
                              base::arch::interrupted_frame(context)},
                       .modes = base::arch::interrupted_float_modes(context),
                       .in_signal = true,
                       .is_tick = mark == Mark::tick});
    }
    finish_handler(self, context, before);
}

void on_tick(const Interrupted& at, const base::arch::FloatModes& modes) {
    Target* const self = detail::own_target();
    if (self == nullptr || !is_on()) return;
    if (self->word.asked() == 0) stop_module_ticks(*self); // served meanwhile, or asked between the two
    if (self->word.asked() != 0) decide_outside_of_handlers(*self, {.at = at, .modes = modes});
}

void on_return(const Interrupted& at, const base::arch::FloatModes& modes) {
    const int before = errno;
    Target* const self = detail::own_target();
    if (self != nullptr && is_on() && self->word.asked() != 0)
        decide_outside_of_handlers(*self, {.at = at, .modes = modes});
    errno = before;
}

void put_off(Target& self, Retry retry) {
    own.owed.store(true, std::memory_order_relaxed);
    if (self.word.is_asleep()) return; // it looks when it wakes up
    if (retry == Retry::ticks && start_module_ticks(self, self.word.asked())) return;
    stop_module_ticks(self);
    arm_once(self.retry, retry_us(self.retries));
    if (++self.retries % kAlike == kAlike / 2) hooks.cannot_soon(self);
}

void note_change_of_stack(Target& self) { tell_module_stack(self, hooks.stack(self)); }

void set_hooks(const Hooks& wanted) {
    assert(wanted.stack != nullptr && wanted.may_switch != nullptr && wanted.switch_away != nullptr &&
           wanted.cannot_soon != nullptr && wanted.watched != nullptr);
    hooks = wanted;
}

void tell_dropped(Target& self, std::uint32_t priority) { hooks.dropped(self, priority); }

union sigval value_of(Mark mark) { return {.sival_ptr = &marks[static_cast<int>(mark)]}; }

std::size_t least_stack_room() {
    constexpr std::size_t kForTheHandler = 16 << 10;
    static const std::size_t frame = getauxval(AT_MINSIGSTKSZ); // 0: the kernel does not say
    return kForTheHandler + std::max(frame, base::arch::kSignalFrameBytes);
}

} // namespace teff::preempt
