// SPDX-License-Identifier: Apache-2.0
#include "preempt/preempt.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "base/clock.h"
#include "base/report.h"
#include "base/system_call.h"
#include "fiber/context.h"
#include "fiber/raw_switch.h"
#include "fiber/sanitizers.h"
#include "icv/icv.h"
#include "preempt/cost.h"
#include "preempt/diversions.h"
#include "preempt/handler.h"
#include "preempt/interpose_signals.h"
#include "preempt/kernel_source.h"
#include "preempt/libraries.h"
#include "preempt/objects.h"
#include "preempt/sources.h"
#include "preempt/thread_timers.h"

namespace teff::preempt {

namespace {

// What speaks against preemption in this process; null: nothing.
const char* obstacle() {
    const unsigned long is_there[6] = {0x1001}; // valgrind's number for the question
    if (teff_fiber_ask_valgrind(is_there) != 0) return "valgrind delivers signals where it likes";
    if (__tsan_get_current_fiber != nullptr)
        return "ThreadSanitizer holds signals back until the program calls the C library";
    if (fiber::shadow_stack_is_on()) return "the processor's shadow stacks are on, which are not switched yet";
    return nullptr;
}

// A signal that can be told from the program's own, for one thread.
long send(pid_t thread) {
    siginfo_t info{};
    info.si_signo = own_signal();
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_value = value_of(Mark::request);
    return base::call(SYS_rt_tgsigqueueinfo, info.si_pid, thread, own_signal(), &info);
}

// Called before a request. Stores the time of the request, unless another one is pending.
void note_asked(Target& target) {
    if (target.word.asked() == 0) target.asked_since.store(base::ticks(), std::memory_order_relaxed);
}

void turn_off(const char* why) {
    detail::on.store(false, std::memory_order_relaxed);
    base::warn("TEFF_PREEMPT has no effect: %s", why);
}

} // namespace

void prepare() {
    const icv::GlobalIcvs& icvs = icv::global();
    if (icvs.preemption.source == icv::PreemptionSource::off) return;
    const char* why = obstacle();
    if (why == nullptr && icvs.max_task_priority == 0)
        why = "OMP_MAX_TASK_PRIORITY is 0, so that all tasks have the same priority";
    if (why != nullptr) return turn_off(why);
    detail::on.store(true, std::memory_order_relaxed);
    learn_libraries();
    (void)prepare_diversions();
    keep_own_signal_from_handlers();
    refresh();
}

void refresh() {
    if (!is_on()) return;
    learn_objects(icv::global().preempt_objects);
    tell_module_code();
}

bool set_active(bool wanted) { return detail::active.exchange(wanted, std::memory_order_relaxed); }

bool exempt(const void* function) {
    if (!exempt_function(function)) return false;
    tell_module_code();
    return true;
}

void register_thread(Target& self) {
    if (!is_on()) return;
    if (!install(&on_signal)) return turn_off("the system refuses a handler for its signal");
    refresh();
    fiber::find_exceptions();
    (void)least_stack_room(); // asked of the system now, not in the handler
    self.retries = 0;
    const bool has_retry = make(self.retry, Mark::retry);
    static constinit std::atomic<bool> warned{false};
    if (!has_retry && !warned.exchange(true, std::memory_order_relaxed))
        base::warn("a thread can have no timer: tasks that cannot be preempted at once are preempted late; raise the "
                   "limit of pending signals (ulimit -i)");
    self.without_retry.store(!has_retry, std::memory_order_relaxed);
    detail::own.target.store(&self, std::memory_order_relaxed);
    detail::own.registered.store(true, std::memory_order_relaxed);
    start_ticks(self);
    self.thread.store(gettid(), std::memory_order_release); // [target-1]
    unblock_own_signal();
}

void unregister_thread(Target& self) {
    if (detail::own_target() != &self) return;
    self.thread.store(0, std::memory_order_relaxed); // a signal that still comes finds no target
    detail::own.registered.store(false, std::memory_order_relaxed);
    detail::own.owed.store(false, std::memory_order_relaxed);
    stop_ticks(self);
    destroy(self.retry);
    destroy(self.watch);
    (void)self.word.take();
}

Asked request(Target& target, std::uint32_t priority) {
    assert(priority != 0 && priority <= Target::Word::kMostPriority);
    const pid_t thread = target.thread.load(std::memory_order_acquire); // [target-1]
    if (thread == 0 || !is_active()) return Asked::gone;
    target.requests.fetch_add(1, std::memory_order_relaxed);
    note_asked(target);
    const Ask answer = target.word.ask(priority);
    if (answer == Ask::asleep) return Asked::asleep;
    if (start_module_ticks(target, priority)) return Asked::signalled;
    const bool signals = answer == Ask::signal || target.without_retry.load(std::memory_order_relaxed);
    if (!signals || !signals_requests()) return Asked::joined;
    target.signals.fetch_add(1, std::memory_order_relaxed);
    const base::Ticks asked = base::ticks();
    target.asked_at.store(asked, std::memory_order_relaxed);
    const bool sent = send(thread) == 0;
    cost.sending.add(base::ticks() - asked);
    return sent ? Asked::signalled : Asked::gone;
}

base::Ticks price() { return cost.sending.mean() + 2 * cost.arriving.mean(); }

void ask_self_again(Target& self, std::uint32_t priority) {
    if (priority == 0) return; // the next tick is the retry
    note_asked(self);
    (void)self.word.ask(priority);
    put_off(self, Retry::timer);
}

void watch(Target& self) {
    if (self.watch.armed || !is_active()) return;
    if (self.watch.id == ThreadTimer::kNone && !make(self.watch, Mark::watch)) return;
    arm_once(self.watch, kWatch_us);
}

std::uint32_t forget_request(Target& self) {
    stop_module_ticks(self);
    if (self.word.asked() == 0) return 0;
    const std::uint32_t priority = self.word.take();
    detail::own.owed.store(false, std::memory_order_relaxed);
    disarm(self.retry);
    return priority;
}

void drop_request(Target& self) {
    if (!is_on()) return;
    if (const std::uint32_t priority = forget_request(self); priority != 0) tell_dropped(self, priority);
}

void forget_in_child() {
    if (!is_on()) return;
    detail::on.store(false, std::memory_order_relaxed);
    forget_module();
    uninstall();
    detail::own.registered.store(false, std::memory_order_relaxed);
}

} // namespace teff::preempt
