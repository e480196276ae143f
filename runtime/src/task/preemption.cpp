// SPDX-License-Identifier: Apache-2.0
#include "task/preemption.h"

#include <pthread.h>

#include "preempt/preempt.h"
#include "task/events.h"
#include "task/suspend.h"

namespace teff::task {

namespace {

// Of those who run something else meanwhile: what they say may be out of date.
template <class T> T glance(const T& field) { return __atomic_load_n(&field, __ATOMIC_RELAXED); }

constexpr std::int32_t kNotPreemptible = INT32_MAX;

std::int32_t runs_at(const team::Worker& worker) {
    const Task* const task = glance(worker.task);
    return task == nullptr || (glance(task->flags) & kImplicit) != 0 ? kNotPreemptible : glance(task->priority);
}

// What the worker is to run in place of its task; nothing if nothing is above that.
Other find_above(team::Worker& worker, std::int32_t priority) {
    team::Member& member = *worker.member;
    const team::Context* const ready = member.ready.first();
    const std::int32_t highest = member.team->ready.highest();
    if (ready != nullptr && ready->priority > priority && ready->priority >= highest) return find_ready(worker);
    if (highest <= priority) return {};
    return start_other(worker, sched::Look::kBrief, priority);
}

preempt::Stack stack_to_leave(preempt::Target&) {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker == nullptr || team::observed(*worker)) return {nullptr, nullptr};
    const team::Context& context = *worker->context;
    if (context.pooled != nullptr) return {context.pooled->bottom(), context.pooled->top()};
    return {worker->stack_low, worker->stack_high};
}

bool is_stressed() { return icv::global().preemption.source == icv::PreemptionSource::stress; }

// TEFF_PREEMPT=stress: anything else that the worker may run; by turns what goes on and what
// starts.
TEFF_COLD Other find_any(team::Worker& worker) {
    worker.starts_next = !worker.starts_next;
    if (!worker.starts_next && worker.member->ready.any()) return find_ready(worker);
    const Other other = start_other(worker, sched::Look::kBrief);
    return other ? other : find_ready(worker);
}

Other find_better(team::Worker& worker) {
    if (TEFF_UNLIKELY(is_stressed())) return find_any(worker);
    return find_above(worker, worker.task->priority);
}

bool may_switch(preempt::Target& self, std::uint32_t) {
    team::Worker& worker = team::current_worker();
    if (runs_at(worker) == kNotPreemptible) { // it may come to a task while another one waits
        const std::int32_t highest = worker.member->team->ready.highest();
        if (highest > 0) preempt::ask_self_again(self, static_cast<std::uint32_t>(highest));
        return false;
    }
    const Other other = find_better(worker);
    worker.preempting_context = other.context;
    worker.preempting_task = other.starts;
    return static_cast<bool>(other);
}

void switch_away(preempt::Target&) {
    team::Worker& worker = team::current_worker();
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks left = probed ? base::ticks() : 0;
    give_way(worker, {.context = worker.preempting_context, .starts = worker.preempting_task},
             is_stressed() ? Goes::kToEnd : Goes::kToHead);
    if (probed) events::preempted(worker, left);
}

void find_own_stack(team::Worker& worker) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* low = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    worker.stack_low = low;
    worker.stack_high = static_cast<char*>(low) + bytes;
}

// Asks the member that runs the least, if that is below the priority. If there is none, one that is
// outside of tasks: it may be about to begin, or to go on in, one that it chose before the new one
// was there. False: it cannot be asked, as it has no thread or sleeps in the system.
bool try_ask(team::Team& team, const team::Worker* self, std::int32_t priority, const team::Worker*& not_this) {
    team::Worker* victim = nullptr;
    team::Worker* between = nullptr;
    std::int32_t lowest = priority;
    for (unsigned i = 0; i < team.size; ++i) {
        team::Worker* const worker = team.members[i]->worker;
        if (worker == nullptr || worker == self || worker == not_this) continue;
        if (worker->parked.load(std::memory_order_relaxed)) continue; // it looks for itself
        const std::int32_t runs = runs_at(*worker);
        if (runs == kNotPreemptible) between = worker;
        if (runs >= lowest) continue;
        lowest = runs;
        victim = worker;
    }
    if (victim == nullptr) victim = between;
    if (victim == nullptr) return true;
    const preempt::Asked asked = preempt::request(victim->target, static_cast<std::uint32_t>(priority));
    not_this = victim;
    return asked == preempt::Asked::signalled || asked == preempt::Asked::joined;
}

// Are at least so many members without work, outside of tasks?
bool find_takers(const team::Team& team, std::int64_t wanted) {
    std::int64_t idle = 0;
    for (unsigned i = 0; i < team.size; ++i) {
        const team::Worker* const worker = team.members[i]->worker;
        if (worker == nullptr || !worker->parked.load(std::memory_order_relaxed)) continue;
        const Task* const task = glance(worker->task);
        if (task != nullptr && (glance(task->flags) & kAtGround) != 0) ++idle;
    }
    return idle >= wanted;
}

} // namespace

void initialise_preemption() {
    preempt::set_hooks({.stack = stack_to_leave, .may_switch = may_switch, .switch_away = switch_away});
}

void begin_preemptible(team::Worker& worker) {
    if (!preempt::is_on()) return;
    find_own_stack(worker);
    preempt::register_thread(worker.target);
}

void end_preemptible(team::Worker& worker) {
    if (preempt::is_on()) preempt::unregister_thread(worker.target);
}

void give_way_to_higher(team::Worker& worker) {
    const std::int32_t priority = runs_at(worker);
    if (priority == kNotPreemptible || team::observed(worker) || preempt::holds()) return;
    if (const Other other = find_above(worker, priority)) give_way(worker, other, Goes::kToHead);
}

void ask_for(team::Team& team, const team::Worker* self, std::int32_t priority) {
    if (find_takers(team, team.ready.raised())) return; // they have been woken
    const team::Worker* not_this = nullptr;
    if (!try_ask(team, self, priority, not_this)) (void)try_ask(team, self, priority, not_this);
}

} // namespace teff::task
