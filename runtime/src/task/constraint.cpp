// SPDX-License-Identifier: Apache-2.0
#include "task/constraint.h"

#include <new>
#include <utility>

#include "team/contexts.h"

namespace teff::task {

namespace {

using team::TiedWait;

// Returns true if the noted task, which is on the current context, still counts. At a barrier the
// task does not count.
bool still_counts(const team::Worker& worker, const TiedWait& noted) {
    const Task* task = worker.task;
    while (task != nullptr && task->depth > noted.depth)
        task = task->below();
    return task == noted.task && task->id == noted.id && (task->flags & kWaitsOutside) == 0;
}

bool is_barred_by(const team::Context& context, const team::Member& member, const TiedWait& noted) {
    const std::uint64_t born = context.started_for == &member ? context.born : 0;
    return noted.context != &context && born < noted.noted;
}

void bar(team::Context& context, TiedWait& by) {
    context.barred_next = by.barred;
    context.barred_link = &by.barred;
    if (by.barred != nullptr) by.barred->barred_link = &context.barred_next;
    by.barred = &context;
}

// Called when the note that barred `context` has been removed. The next note may bar the context as
// well; otherwise the context becomes ready.
void pass_bar_on(team::Member& member, team::Context& context) {
    context.barred_next = nullptr;
    context.barred_link = nullptr;
    TiedWait* const next = member.tied;
    if (next != nullptr && is_barred_by(context, member, *next)) return bar(context, *next);
    if (context.notification.set_aside()) member.ready.put_at_end(context);
}

void forget(team::Worker& worker, TiedWait& noted) {
    team::Member& member = *worker.member;
    (noted.inner == nullptr ? member.tied : noted.inner->outer) = noted.outer;
    if (noted.outer != nullptr) noted.outer->inner = noted.inner;
    worker.context->tied = noted.before;
    team::Context* barred = noted.barred;
    worker.blocks.give_back(&noted, mem::BlockSize::kRecord);
    while (barred != nullptr)
        pass_bar_on(member, *std::exchange(barred, barred->barred_next));
}

// Returns the innermost note of the current context and member, or null.
TiedWait* noted_here(const team::Worker& worker) {
    TiedWait* const noted = worker.context->tied;
    return noted != nullptr && noted->member == worker.member ? noted : nullptr;
}

void forget_ended(team::Worker& worker) {
    while (TiedWait* const noted = noted_here(worker)) {
        if (still_counts(worker, *noted)) return;
        forget(worker, *noted);
    }
}

} // namespace

Constraint constraint_beside_others(team::Worker& worker) {
    if (is_relaxed()) return {};
    forget_ended(worker);
    const Task* const here = innermost_tied(worker);
    const TiedWait* const innermost = worker.member->tied;
    if (innermost == nullptr || innermost->context == worker.context) return {.tied = here};
    const bool barred = is_barred_by(*worker.context, *worker.member, *innermost);
    return {.tied = here != nullptr && !barred ? here : innermost->task, .barred = barred};
}

void note_tied(team::Worker& worker) {
    if (is_relaxed()) return;
    forget_ended(worker);
    const Task* const task = innermost_tied(worker);
    const TiedWait* const before = noted_here(worker);
    if (task == nullptr || (before != nullptr && before->task == task)) return;
    team::Member& member = *worker.member;
    team::Context& context = *worker.context;
    auto* const noted = ::new (worker.blocks.take(mem::BlockSize::kRecord))
        TiedWait{.task = task, .id = task->id, .depth = task->depth, .context = &context, .member = &member};
    noted->noted = ++member.contexts_so_far;
    noted->before = std::exchange(context.tied, noted);
    noted->outer = std::exchange(member.tied, noted);
    if (noted->outer != nullptr) noted->outer->inner = noted;
}

void forget_tied(team::Worker& worker) {
    while (TiedWait* const noted = noted_here(worker))
        forget(worker, *noted);
}

void await_end_of_bar(team::Worker& worker) {
    const team::Context& self = *worker.context;
    const bool has_tasks = self.queue != nullptr && !self.queue->deque.looks_empty();
    if (!has_tasks && worker.member->team->ready.raised() <= 0) return;
    TiedWait* const innermost = worker.member->tied;
    if (innermost != nullptr && is_barred_by(*worker.context, *worker.member, *innermost))
        bar(*worker.context, *innermost);
}

void stop_awaiting_end_of_bar(team::Context& context) {
    if (context.barred_link == nullptr) return;
    *context.barred_link = context.barred_next;
    if (context.barred_next != nullptr) context.barred_next->barred_link = context.barred_link;
    context.barred_link = nullptr;
}

} // namespace teff::task
