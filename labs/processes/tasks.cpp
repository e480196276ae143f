// SPDX-License-Identifier: Apache-2.0
#include "processes/tasks.h"

#include <cstring>
#include <new>

#include "processes/dependences.h"
#include "processes/heap.h"
#include "processes/libc_memory.h"
#include "processes/link.h"
#include "processes/report.h"
#include "processes/task.h"
#include "processes/team.h"

namespace teff::processes::tasks {

namespace {

constinit Task initial_task;
constinit Task* current = nullptr;
constinit List<Task*> ready;     // by creation, but for those that had to wait for others
constinit std::size_t given = 0; // the first of them are gone
constinit std::uint64_t next_ordinal = 1;
constinit unsigned open_events = 0; // of all tasks
constinit List<Task*> spare;
constinit List<Task*> deeply_ended; // of other processes, which are to be told

constexpr std::size_t kMostGiven = 64;

Task& self() {
    if (current == nullptr) {
        initial_task.icvs = icv::initial();
        initial_task.flags = kImplicit;
        current = &initial_task;
    }
    return *current;
}

Task* new_task() {
    Task* const made = spare.empty() ? static_cast<Task*>(__libc_malloc(sizeof(Task))) : spare.pop();
    if (made == nullptr) fail("no memory for a task");
    return new (made) Task;
}

bool is_alone() { return !current_team().is_shared(); }

bool is_undeferred(std::uint32_t flags) { return (flags & kUndeferred) != 0 || (self().flags & kFinal) != 0; }

void copy_arguments(const Construct& construct, void* to) {
    if (construct.copy != nullptr) construct.copy(to, construct.data);
    else std::memcpy(to, construct.data, construct.bytes);
}

void* arguments_for(const Construct& construct) {
    if (construct.bytes == 0) return construct.data;
    void* const block = heap::allocate_aligned(construct.alignment < 16 ? 16 : construct.alignment, construct.bytes);
    if (block == nullptr) fail("no memory for the arguments of a task");
    copy_arguments(construct, block);
    return block;
}

Task* make(const Construct& construct) {
    Task& parent = self();
    Task* const task = new_task();
    task->function = construct.function;
    task->parent = &parent;
    ++parent.references;
    ++parent.children;
    task->group = parent.innermost_group;
    task->innermost_group = task->group;
    if (task->group != nullptr) ++task->group->pending;
    task->ordinal = next_ordinal++;
    task->icvs = parent.icvs;
    task->reductions = parent.reductions;
    task->root = parent.root;
    task->flags = (construct.flags & kFinal) | (parent.flags & kFinal);
    return task;
}

void make_ready(Task* task) { ready.push(task); }

void release_successors(Task& task) { dependences::release(task, make_ready); }

void free_arguments(Task& task) {
    if (task.own_arguments) heap::release(task.arguments);
    task.own_arguments = false;
}

void leave(Group& group) {
    if (--group.pending == 0 && group.of != nullptr) deeply_ended.push(group.of);
}
void end_deeply(Task& task) {
    if (task.group != nullptr) leave(*task.group);
}

// The body has run, here or elsewhere.
void end(Task& task) {
    free_arguments(task);
    release_successors(task);
    --task.parent->children;
}

void report(Task& task, bool deep) {
    Request done = {};
    done.op = Op::done;
    done.flags = deep ? 1 : 0;
    done.a = task.origin;
    done.b = task.token;
    link::tell(done, link::Sync::memory);
}

// Must not be called while an event is handled, in the middle of a message.
void report_deeply_ended() {
    while (!deeply_ended.empty()) {
        Task* const task = deeply_ended.pop();
        report(*task, true);
        drop(task);
    }
}

void call(Task& task) {
    Task* const before = current;
    current = &task;
    task.started_at = next_ordinal;
    task.function(task.arguments);
    dependences::forget(task); // it creates no more
    current = before;
}

void complete(Task* task) {
    end(*task);
    end_deeply(*task);
    drop(task);
}

// A detachable task ends when its event is fulfilled, too.
void finish(Task* task) {
    task->body_ended = true;
    if (task->open_events == 0) complete(task);
    else free_arguments(*task);
    report_deeply_ended();
}

void run_own(Task* task) {
    call(*task);
    finish(task);
}

// A handle contains the process and its record there.
constexpr unsigned kRankShift = 48;

void open_event(Task& task, const Construct& construct) {
    if (construct.event == nullptr) return;
    task.open_events = 1;
    ++open_events;
    const std::uint64_t handle = reinterpret_cast<std::uint64_t>(&task) | std::uint64_t{link::rank()} << kRankShift;
    std::memcpy(construct.event, &handle, sizeof handle);
    if (construct.data != nullptr) std::memcpy(construct.data, &handle, sizeof handle);
}

void fulfil_own(Task* task) {
    if (task->open_events == 0) return;
    task->open_events = 0;
    --open_events;
    if (task->body_ended) complete(task);
}

// A task of another process. The group, if it is in one, waits for its descendants, too.
void run_foreign(const TaskMessage& message) {
    Task* const task = new_task();
    task->function = reinterpret_cast<void (*)(void*)>(message.function);
    task->arguments = reinterpret_cast<void*>(message.arguments);
    task->token = message.token;
    task->origin = message.origin;
    task->flags = message.flags;
    task->icvs = message.icvs;
    task->root = message.root;
    task->reductions = reinterpret_cast<std::uintptr_t*>(message.reductions);
    task->ordinal = next_ordinal++;
    if ((task->flags & kGrouped) != 0) {
        task->descendants.of = task;
        task->innermost_group = &task->descendants;
        ++task->references;
        ++task->descendants.pending; // the task itself
    }
    call(*task);
    report(*task, false);
    if ((task->flags & kGrouped) != 0) leave(task->descendants);
    drop(task);
    report_deeply_ended();
}

void run_given() {
    const TaskMessage message = link::task();
    if (message.origin == link::rank()) run_own(reinterpret_cast<Task*>(message.token));
    else run_foreign(message);
}

// Takes the newest task that was created from ordinal `least` on. Older tasks may remain, because a
// waiting task does not run tasks that were created before it.
Task* take(std::uint64_t least) {
    for (std::size_t i = ready.size(); i > given; --i) {
        if (ready[i - 1]->ordinal < least) continue;
        Task* const task = ready[i - 1];
        ready.erase(i - 1);
        return task;
    }
    if (given == ready.size()) {
        ready.clear();
        given = 0;
    }
    return nullptr;
}

// Gives away the oldest tasks, at most `count`. Returns false if none could be given.
bool give_away(std::size_t count) {
    TaskMessage messages[kMostGiven];
    if (count > kMostGiven) count = kMostGiven;
    for (std::size_t i = 0; i < count; ++i)
        if (ready[given + i]->open_events != 0) count = i; // those stay, and what comes after them
    if (count == 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
        const Task& task = *ready[given + i];
        messages[i] = {reinterpret_cast<std::uint64_t>(task.function),
                       reinterpret_cast<std::uint64_t>(task.arguments),
                       reinterpret_cast<std::uint64_t>(&task),
                       task.ordinal,
                       reinterpret_cast<std::uint64_t>(task.reductions),
                       link::rank(),
                       task.flags | (task.group != nullptr ? kGrouped : 0u),
                       task.root,
                       task.icvs};
    }
    given += count;
    link::forget_notice();
    Request exported = {};
    exported.op = Op::exported;
    link::tell(exported, link::Sync::memory, {messages, count * sizeof messages[0]});
    return true;
}

void look_for_takers() {
    if (link::is_asked_for_tasks()) give_away((ready.size() - given + 1) / 2);
}

// Another process may run the tasks that this process does not run while it waits.
void give_away_all() {
    while (!is_alone() && give_away(ready.size() - given)) {
    }
}

} // namespace

// The last reference may be the last of its parent's, and so on.
void drop(Task* task) {
    while (task != nullptr && --task->references == 0) {
        Task* const parent = task->parent;
        spare.push(task);
        task = parent;
    }
}

namespace {

void wait_until_ended(const unsigned& count, std::uint64_t least) {
    while (count != 0) {
        if (Task* const task = take(least)) {
            run_own(task);
            continue;
        }
        if (region::members_here() == 1) fail("the program waits for a task whose event nobody can fulfil");
        give_away_all();
        Request wait = {};
        wait.op = Op::wait;
        wait.a = least;
        wait.flags = is_explicit() ? 0 : 1;
        const Answer answer = link::ask(wait, link::Sync::memory);
        report_deeply_ended();
        if (answer.what == What::task) run_given();
    }
}

void handle(const Event& event) {
    Task* const task = reinterpret_cast<Task*>(event.value);
    if (event.kind == EventKind::fulfilled) return fulfil_own(task);
    if (event.kind == EventKind::task_done) {
        end(*task);
        if (task->group == nullptr) drop(task);
    } else {
        end_deeply(*task);
        drop(task);
    }
}

[[gnu::constructor]] void know_events() { link::on_event(handle); }

void run_in_place(const Construct& construct) {
    Task* const task = make(construct);
    open_event(*task, construct);
    task->held_back = true;
    if (construct.depend.given() && !dependences::add(*task, construct.depend))
        wait_until_ended(task->awaited, self().started_at);
    if (construct.copy != nullptr) {
        task->arguments = arguments_for(construct);
        task->own_arguments = true;
    } else {
        task->arguments = construct.data;
    }
    call(*task);
    if ((construct.flags & kUndeferred) != 0) wait_until_ended(task->open_events, self().started_at);
    finish(task);
}

} // namespace

// In a team of one all tasks run at once, except tasks whose dependences are not satisfied: they
// may wait for an event that a later task fulfils.
void create(const Construct& construct) {
    const bool deferrable = !is_alone() || construct.depend.given();
    if (is_undeferred(construct.flags) || !deferrable) return run_in_place(construct);
    Task* const task = make(construct);
    open_event(*task, construct);
    task->arguments = arguments_for(construct);
    task->own_arguments = construct.bytes != 0;
    const bool is_ready = !construct.depend.given() || dependences::add(*task, construct.depend);
    if (is_alone()) {
        if (is_ready) run_own(task);
        return;
    }
    if (is_ready) make_ready(task);
    look_for_takers();
}

void create_loop_task(Construct construct, std::uint64_t first, std::uint64_t end) {
    Task* const task = make(construct);
    task->arguments = arguments_for(construct);
    task->own_arguments = true;
    const std::uint64_t bounds[2] = {first, end};
    std::memcpy(task->arguments, bounds, sizeof bounds);
    if (is_undeferred(construct.flags) || is_alone()) return run_own(task);
    make_ready(task);
    look_for_takers();
}

void wait_for_children() {
    Task& task = self();
    wait_until_ended(task.children, task.started_at);
}

void wait_for_dependences(const task::DependItems& depend) {
    Construct nothing = {};
    nothing.function = [](void*) {};
    nothing.flags = kUndeferred;
    nothing.depend = depend;
    run_in_place(nothing);
}

void begin_group() {
    auto* const group = static_cast<Group*>(__libc_malloc(sizeof(Group)));
    if (group == nullptr) fail("no memory for a taskgroup");
    *group = {self().innermost_group, self().reductions, nullptr, 0};
    self().innermost_group = group;
}

void end_group() {
    Group* const group = self().innermost_group;
    wait_until_ended(group->pending, self().started_at);
    self().innermost_group = group->outer;
    self().reductions = group->outer_reductions;
    __libc_free(group);
}

void offer() {
    if (!is_alone()) look_for_takers();
}

void fulfil(std::uint64_t handle) {
    if (handle == 0) fail("omp_fulfill_event: 0 is not the event of an unfinished task");
    const std::uint64_t rank = handle >> kRankShift, token = handle & ((std::uint64_t{1} << kRankShift) - 1);
    if (rank == link::rank()) {
        fulfil_own(reinterpret_cast<Task*>(token));
        return report_deeply_ended();
    }
    Request fulfilled = {};
    fulfilled.op = Op::fulfil;
    fulfilled.a = rank;
    fulfilled.b = token;
    link::tell(fulfilled, link::Sync::memory);
}

bool is_in_final() { return (self().flags & kFinal) != 0; }
bool is_explicit() { return (self().flags & kImplicit) == 0; }
std::uint64_t current_id() { return reinterpret_cast<std::uint64_t>(&self()); }
icv::TaskIcvs& icvs() { return self().icvs; }
std::uintptr_t*& reduction_blocks() { return self().reductions; }

Task* begin_implicit(const icv::TaskIcvs& icvs) {
    Task& outer = self();
    Task* const task = new_task();
    task->parent = &outer;
    ++outer.references;
    task->icvs = icvs;
    task->flags = kImplicit;
    task->root = link::rank();
    task->started_at = next_ordinal;
    current = task;
    return task;
}

void forget_implicit(Task* implicit) { dependences::forget(*implicit); }

void end_implicit(Task* implicit) {
    current = implicit->parent;
    drop(implicit);
}

void run_all() {
    const std::uint64_t least = is_alone() ? self().started_at : 0;
    if (is_alone()) wait_until_ended(self().children, least);
    while (Task* const task = take(least))
        run_own(task);
}

Answer serve_until_answered(const Request& request) {
    for (;;) {
        wait_until_ended(open_events, 0);
        const Answer answer = link::ask(request, link::Sync::memory);
        report_deeply_ended();
        if (answer.what == What::task) run_given();
        else if (answer.what != What::events) return answer;
        run_all();
    }
}

} // namespace teff::processes::tasks
