// SPDX-License-Identifier: Apache-2.0
#include "task/dependences.h"

#include <cassert>

#include "probe/ompt/records.h"
#include "task/at_once.h"
#include "task/conditions.h"
#include "task/create.h"
#include "task/depend_table.h"
#include "task/detach.h"
#include "task/events.h"
#include "task/events_counted.h"
#include "task/events_recorded.h"
#include "task/preemption.h"
#include "team/probes.h"

namespace teff::task {

using Record = probe::ompt::TaskRecord;

namespace {

// Returns the kind that the table uses. mutexinoutset is treated as inout.
DependKind rank_of(ItemKind kind) {
    static_assert(static_cast<int>(ItemKind::kIn) == static_cast<int>(DependKind::kIn) &&
                  static_cast<int>(ItemKind::kOut) == static_cast<int>(DependKind::kOut) &&
                  static_cast<int>(ItemKind::kInoutset) == static_cast<int>(DependKind::kInoutset));
    return kind <= ItemKind::kInoutset ? static_cast<DependKind>(kind) : DependKind::kOut;
}

// Makes `successor` wait for `predecessor`, if the predecessor is still unfinished. Returns the
// number of edges added: 0 or 1.
std::uint32_t add_edge(team::Worker& worker, DependNode& predecessor, DependNode& successor) {
    if (&predecessor == &successor) return 0; // the same address twice in one construct
    if (predecessor.finished()) return 0;
    DependEdge& edge = new_edge(worker, successor);
    edge.successor = &successor;
    if (!predecessor.successors.push(edge)) {
        --successor.edges_used;
        return 0;
    }
    return 1;
}

// The waiting task is the node's own task; for the node of a taskwait, it is the current task.
bool is_of_wait(const DependNode& node) { return node.task_id == 0; }
std::uint64_t successor_id(const team::Worker& worker, const DependNode& node) {
    return is_of_wait(node) ? worker.task->id.get() : node.task_id;
}

// Used if the recording is the only sink: it also records dependences on finished predecessors.
TEFF_APART std::uint32_t wait_for_set_recorded(team::Worker& worker, DependSet& set, DependNode& node, void* address,
                                               ItemKind kind) {
    recording::Dependences recorded(worker, successor_id(worker, node), address, kind, set.kind, is_of_wait(node));
    std::uint32_t edges = 0;
    const auto wait_for = [&](DependNode& predecessor) {
        const std::uint32_t added = add_edge(worker, predecessor, node);
        edges += added;
        recorded.on(predecessor.task_id, added != 0);
    };
    if (TEFF_LIKELY(set.count == 1)) wait_for(*set.first);
    else set.for_each(wait_for);
    return edges;
}

// Probes also get finished predecessors, so this walk drops none of them: a later sibling may
// depend on them as well. DependSet::add bounds their number.
TEFF_APART std::uint32_t wait_for_set_probed(team::Worker& worker, DependSet& set, DependNode& node, void* address,
                                             ItemKind kind, Record* sink) {
    std::uint32_t edges = 0;
    set.for_each([&](DependNode& predecessor) {
        const std::uint32_t added = add_edge(worker, predecessor, node);
        edges += added;
        events::depends(worker, {.predecessor = predecessor,
                                 .successor_id = successor_id(worker, node),
                                 .address = address,
                                 .kind = kind,
                                 .predecessor_kind = set.kind,
                                 .sink = sink,
                                 .unfulfilled = added != 0,
                                 .of_wait = is_of_wait(node)});
    });
    return edges;
}

// Used if the counters are the only sink. They need only the numbers, but also count finished
// predecessors.
TEFF_APART std::uint32_t wait_for_set_counted(team::Worker& worker, DependSet& set, DependNode& node) {
    std::uint32_t others = 0, edges = 0;
    set.for_each([&](DependNode& predecessor) {
        others += &predecessor != &node ? 1 : 0;
        edges += add_edge(worker, predecessor, node);
    });
    counting::depends_on(*worker.stat, others, edges);
    return edges;
}

// Does the same for a set of one task, which is the usual case.
TEFF_APART std::uint32_t wait_for_one_counted(team::Worker& worker, DependNode& predecessor, DependNode& node) {
    if (TEFF_UNLIKELY(&predecessor == &node)) return 0;
    const std::uint32_t edges = add_edge(worker, predecessor, node);
    counting::depends_on(*worker.stat, 1, edges);
    return edges;
}

std::uint32_t wait_for_set(team::Worker& worker, DependSet& set, DependNode& node, void* address, ItemKind kind,
                           Record* sink) {
    if (TEFF_UNLIKELY(worker.probes != 0)) {
        if (set.count == 0) return 0;
        if (team::only_counted(worker))
            return TEFF_LIKELY(set.count == 1) ? wait_for_one_counted(worker, *set.first, node)
                                               : wait_for_set_counted(worker, set, node);
        if (team::only_traced(worker)) return wait_for_set_recorded(worker, set, node, address, kind);
        return wait_for_set_probed(worker, set, node, address, kind, sink);
    }
    const std::uint32_t mentions = set.count;
    if (TEFF_LIKELY(mentions <= 1)) return mentions == 0 ? 0 : add_edge(worker, *set.first, node);
    std::uint32_t edges = 0;
    set.for_each([&](DependNode& predecessor) { edges += add_edge(worker, predecessor, node); });
    set.note_walk(worker, mentions - edges, edges);
    return edges;
}

TEFF_COLD std::uint32_t wait_for_all_memory(team::Worker& worker, DependTable& table, DependNode& node, Record* sink) {
    std::uint32_t edges = 0;
    table.for_each_set(
        [&](DependSet& set) { edges += wait_for_set(worker, set, node, nullptr, ItemKind::kInout, sink); });
    return edges;
}

// Enters an access of kind `item_kind` to `address` by the task of `node`. Makes the task wait for
// the tasks before it. Returns the number of edges added.
std::uint32_t add_item(team::Worker& worker, DependTable& table, DependNode& node, void* address, ItemKind item_kind,
                       Record* sink) {
    const DependKind kind = rank_of(item_kind);
    DependEntry& entry = table.entry(worker, address);
    if (!entry.current.is_joined_by(kind) && entry.current.count != 0) {
        entry.previous.clear(worker);
        entry.previous = entry.current;
        entry.current = DependSet();
    }
    entry.current.kind = kind;
    const std::uint32_t edges = wait_for_set(worker, entry.previous, node, address, item_kind, sink);
    entry.current.add(worker, node);
    return edges;
}

TEFF_COLD std::uint32_t add_all_memory(team::Worker& worker, DependTable& table, DependNode& node, Record* sink) {
    const std::uint32_t edges = wait_for_all_memory(worker, table, node, sink);
    table.write_all_memory(worker, node);
    return edges;
}

// Enters a new child of the table's task: the child waits for the tasks before it, and later tasks
// wait for the child. Returns the number of edges added.
std::uint32_t enter(team::Worker& worker, DependTable& table, DependNode& node, const DependItems& depend,
                    Record* sink) {
    std::uint32_t edges = 0;
    for (const DependRun& run : depend)
        for (void* const address : run)
            edges += TEFF_LIKELY(address != nullptr) ? add_item(worker, table, node, address, run.kind, sink)
                                                     : add_all_memory(worker, table, node, sink);
    if (TEFF_UNLIKELY(node.mentions == 0)) // empty iterator: no task will wait for this task
        node.references.fetch_sub(DependNode::kHeldByTable, std::memory_order_relaxed); // [node-1]
    return edges;
}

// Ends a node that waited in place. The node has no successors, because the table's task creates no
// tasks before it continues.
void end_in_place(team::Worker& worker, DependNode& node) {
    [[maybe_unused]] const DependEdge* const successors = node.successors.close();
    assert(successors == nullptr);
    drop_reference(worker, node, 1);
}

// The condition of a wait in place. The last predecessor always notifies the waiter, so arming only
// tests the condition.
struct DependencesFulfilled : WaitInTask {
    const DependNode& node;
    bool over() const { return node.waiting_for.none_left(); }
    bool try_arm() { return !over(); }
    void disarm() {}
};

// Queues a task that has become ready. A task that may be unrelated must not lie among the
// descendants of the tasks that wait on this worker, so it goes to a queue whose takers check
// descent.
void queue_successor(team::Worker& worker, team::Team& team, Task& task, Successors successors) {
    team::Member& member = *worker.member;
    const bool own_queue = successors == Successors::kDescendants && member.team == &team &&
                           (member.may_defer() || prepare_to_defer(member));
    if (!own_queue) team.ready.make_ready_anywhere(&task);
    else if (!team.ready.make_ready(member.lane, &task)) team.ready.make_ready_past_limit(member.lane, &task);
}

TEFF_COLD void make_raised_successor_ready(team::Worker& worker, team::Team& team, Task& task, Successors successors) {
    const std::int32_t priority = task.priority;
    task.set_ready_at(worker.probes != 0 ? base::ticks() : 0);
    queue_successor(worker, team, task, successors);
    ask_for_task(team, &worker, priority);
}

void make_successor_ready(team::Worker& worker, team::Team& team, Task& task, Successors successors) {
    if (runs_at_once(task)) run_at_once(worker, task);
    else if (TEFF_UNLIKELY(task.priority > 0)) make_raised_successor_ready(worker, team, task, successors);
    else queue_successor(worker, team, task, successors);
}

} // namespace

void make_dependent(team::Worker& worker, Task& task) { task.depend_node = &make_node(worker, &task, task.id); }

bool add_dependences(team::Worker& worker, Task& task, const DependItems& depend) {
    Task& parent = *task.parent.get();
    if (TEFF_UNLIKELY(parent.depend_table == nullptr)) parent.depend_table = DependTable::make(worker);
    DependNode& node = *task.depend_node;
    const std::uint32_t edges = enter(worker, *parent.depend_table, node, depend, events::record_of(task));
    return node.waiting_for.release_hold(edges);
}

void wait_for_dependences(team::Worker& worker, const DependItems& depend, const InPlace& successor,
                          base::CallSite site) {
    Task& waiting = *worker.task;
    if (!waiting.has_dependent_children()) return;
    const bool probed = TEFF_UNLIKELY(worker.probes != 0);
    const base::Ticks began = probed ? base::ticks() : 0;
    DependNode& node = make_node(worker, nullptr, successor.task_id);
    node.waiter = worker.context;
    const std::uint32_t edges = enter(worker, *waiting.depend_table, node, depend, successor.sink);
    if (probed) (void)events::wait_begins(worker, events::Wait::kDependences, site);
    if (!node.waiting_for.release_hold(edges)) wait_until(worker, DependencesFulfilled{{.waiting = waiting}, node});
    end_in_place(worker, node);
    if (probed) events::wait_ends(worker, events::Wait::kDependences, site, began);
}

TEFF_COLD static void taskwait_depend_probed(team::Worker& worker, const DependItems& depend, base::CallSite site) {
    Record record;
    events::taskwait_depend_begins(worker, record, depend, site);
    wait_for_dependences(worker, depend, {.sink = team::observed(worker) ? &record : nullptr}, site);
    events::taskwait_depend_ends(worker, record);
}

void taskwait_depend(team::Worker& worker, const DependItems& depend, base::CallSite site) {
    if (TEFF_UNLIKELY(worker.probes != 0)) taskwait_depend_probed(worker, depend, site);
    else wait_for_dependences(worker, depend, {}, site);
}

void release_dependences(team::Worker& worker, Task& task, Successors successors) {
    DependNode& node = *task.depend_node;
    team::Team& team = (task.flags & kDetachable) != 0 ? team_of_detachable(task) : *worker.member->team;
    DependEdge* edge = node.successors.close();
    while (edge != nullptr) {
        DependEdge* const next = edge->next; // the edge belongs to the successor, which may end as soon as it is ready
        DependNode& successor = *edge->successor;
        Task* const ready = successor.task;
        team::Context* const waiter = successor.waiter;
        if (successor.waiting_for.end_one()) {
            if (ready != nullptr) make_successor_ready(worker, team, *ready, successors);
            else waiter->notify();
        }
        edge = next;
    }
    drop_reference(worker, node, 1);
}

void free_depend_table(team::Worker& worker, Task& task) {
    task.depend_table->free(worker);
    task.depend_table = nullptr;
}

} // namespace teff::task
