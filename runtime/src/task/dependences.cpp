// SPDX-License-Identifier: Apache-2.0
#include "task/dependences.h"

#include "base/report.h"
#include "task/depend_table.h"
#include "task/untils.h"

namespace teff::task {

namespace {

// omp_depend_t as GCC lays it out, and its kinds.
struct DependObject {
    void* address;
    std::uintptr_t kind;
};
enum GccDependKind : std::uintptr_t { kGccIn = 1, kGccOut = 2, kGccInout = 3, kGccMutexinoutset = 4, kGccInoutset = 5 };

DependKind kind_of(const DependObject& object) {
    switch (object.kind) {
    case kGccIn:
        return DependKind::kIn;
    case kGccInoutset:
        return DependKind::kInoutset;
    case kGccOut:
    case kGccInout:
    case kGccMutexinoutset:
        return DependKind::kOut;
    default:
        base::fatal(0, "a depend clause names a depend object that is not initialised (its kind is %zu)", object.kind);
    }
}

// Calls `visit(address, kind)` for each list item of GCC's array. Either {n, outs, addresses...}: the first `outs` are out or inout, the
// others in. Or {0, n, outs, mutexinoutsets, ins, addresses..., omp_depend_t*...}.
template <class Visit> void for_each_item(void** depend, Visit&& visit) {
    const auto number = [depend](int index) { return reinterpret_cast<std::uintptr_t>(depend[index]); };
    const bool short_form = number(0) != 0;
    const std::uintptr_t items = short_form ? number(0) : number(1);
    const std::uintptr_t outs = short_form ? number(1) : number(2) + number(3);
    const std::uintptr_t addresses = short_form ? items : outs + number(4);
    void** item = depend + (short_form ? 2 : 5);
    for (std::uintptr_t i = 0; i < items; ++i) {
        if (i < outs) visit(item[i], DependKind::kOut);
        else if (i < addresses) visit(item[i], DependKind::kIn);
        else visit(static_cast<DependObject*>(item[i])->address, kind_of(*static_cast<DependObject*>(item[i])));
    }
}

// Whether an item of this kind joins the current set instead of waiting for it.
bool joins(const DependSet& current, DependKind kind) { return kind != DependKind::kOut && current.kind == kind; }

// Makes `successor` wait for `predecessor`, if that is still unfinished. Returns how many edges that took: 0 or 1.
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

std::uint32_t wait_for_set(team::Worker& worker, const DependSet& set, DependNode& node, void* address) {
    std::uint32_t edges = 0;
    set.for_each([&](DependNode& predecessor) {
        edges += add_edge(worker, predecessor, node);
        if (worker.trace != nullptr && predecessor.task_id != node.task_id)
            worker.trace->dependence(base::ticks(), node.task_id, predecessor.task_id,
                                     reinterpret_cast<std::uintptr_t>(address));
    });
    return edges;
}

// The drain loop's Until of a wait in place. The last predecessor always unparks the waiter, so there is nothing to arm.
struct UntilDependencesEnd : WaitInTask {
    const DependNode& node;
    bool over() const { return node.waiting_for.none_left(); }
    bool try_arm() { return !over(); }
    void disarm() {}
};

void make_successor_ready(team::Worker& worker, team::Team& team, Task& task) {
    team::Member& member = *worker.member;
    if (member.team == &team && member.may_defer && team.ready.make_ready(member.lane, &task)) return;
    team.ready.make_ready_anywhere(&task);
}

} // namespace

bool add_dependences(team::Worker& worker, Task& task, void** depend) {
    Task& parent = *task.parent.get();
    if (parent.depend_table == nullptr) parent.depend_table = DependTable::make(worker);
    DependNode& node = make_node(worker, &task, task.id);
    task.depend_node = &node;
    std::uint32_t edges = 0;
    for_each_item(depend, [&](void* address, DependKind kind) {
        DependEntry& entry = parent.depend_table->entry(worker, address);
        if (!joins(entry.current, kind) && entry.current.count != 0) {
            entry.previous.clear(worker);
            entry.previous = entry.current;
            entry.current = {};
        }
        entry.current.kind = kind;
        edges += wait_for_set(worker, entry.previous, node, address);
        entry.current.add(worker, node);
    });
    return node.waiting_for.release_hold(edges);
}

void wait_for_dependences(team::Worker& worker, void** depend, base::CallSite site) {
    Task& waiting = *worker.task;
    if (waiting.depend_table == nullptr) return;
    DependNode node;
    initialise_node(node, nullptr, waiting.id);
    node.waiter = &worker;
    std::uint32_t edges = 0;
    for_each_item(depend, [&](void* address, DependKind kind) {
        const DependEntry* entry = waiting.depend_table->find(address);
        if (entry == nullptr) return;
        edges += wait_for_set(worker, joins(entry->current, kind) ? entry->previous : entry->current, node, address);
    });
    const base::Ticks begin = worker.trace != nullptr ? base::ticks() : 0;
    if (!node.waiting_for.release_hold(edges)) drain(worker, UntilDependencesEnd{{.waiting = waiting}, node});
    free_more_edges(worker, node);
    if (worker.trace != nullptr)
        worker.trace->wait(begin, base::ticks(), TEFF_WAIT_DEPEND, waiting.id, worker.trace->site(site.code(), nullptr),
                           0);
}

void release_dependences(team::Worker& worker, Task& task) {
    DependNode& node = *task.depend_node;
    team::Team& team = (task.flags & kDetachable) != 0 ? *task.detach_team : *worker.member->team;
    DependEdge* edge = node.successors.close();
    while (edge != nullptr) {
        DependEdge* const next = edge->next; // the edge belongs to the successor, which may end as soon as it is ready
        DependNode& successor = *edge->successor;
        Task* const ready = successor.task;
        team::Worker* const waiter = successor.waiter;
        if (successor.waiting_for.end_one()) {
            if (ready != nullptr) make_successor_ready(worker, team, *ready);
            else waiter->parker.unpark();
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
