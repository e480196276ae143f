// SPDX-License-Identifier: Apache-2.0
//
// NodeQueues: one queue of ready tasks for each NUMA node, so that a task runs where its data lies.
// The scheduler of Muddukrishna's thesis (2016), algorithms 1 and 2. It stands beside work
// stealing (policy.h).
//
// A task that has a home (task/homes.h) comes here, from any thread; all others take the default's
// way. A member takes the newest task of its own deque, then the oldest of its node's queue, then
// steals from other members, then takes from the queues of other nodes, the nearest first. From
// another node's queue a brief look takes a task only if that queue has enough for the members of
// its node, or if the look has left them their tasks often enough. If nothing is queued here, only
// the lanes are asked.
//
// What waiting members can rely on, and how that is ensured:
//
// - Nobody waits for a member that does not come. A thorough look, the last before a member sleeps,
//   sees the queues of all nodes to their ends. So do some brief ones: a member may never sleep,
//   and no other be on the task's node. What a waiter may run it finds, then, wherever it lies;
//   nothing is left to another member for good.
// - Those under way come first. While a member that was woken is on its way, who would sleep leaves
//   other nodes their tasks: once, as the one that comes may be of another node, and not if only
//   its descendants will do. Nothing is lost: it has entered the sleepers, and the member under way
//   is counted until it stops searching. The last one that does looks at all queues then, and wakes
//   a sleeper ([sleep-2]); whoever has left tasks once takes them. So each member sleeps at most
//   once beside a task before somebody runs it.
// - Own children first. A waiting task finds those in its lane before it looks here. Here it is
//   given its descendants alone, the newest of each node first, and those of other nodes however
//   few lie there: else it would begin unrelated tasks, and leave them all in their middle.
// - Tied tasks. The place of a task in these queues proves nothing: the waiter is asked about each,
// under the queue's lock, so that none can vanish meanwhile.
// - Priorities, and the levels at which tasks preempt. A task with a priority has no home. The
// default keeps it, and it goes before all tasks here.
// - In place. Tasks that a flooding creator runs in place do not come here; its lane alone decides.
// - A team of one. Nothing is put here: nobody else is there to run it. So the order in which a
//   single thread runs tasks is the default's.
// - Limits. A node's queue holds as many tasks as a deque. What does not fit goes to its maker's
//   lane, and if that is full it is the maker's to run, as ever. A creator of many dependent tasks
//   helps with what lies here, too.
// - fork. A child moves what lies here to where everybody looks. Until the region ends it is a team
//   of one: its only thread never looks thoroughly, as it does not sleep.
//
// The order in which a lane's owner and thieves take a task's children is not the default's:
// decision record 0019 says for which programs that matters.
//
// Any thread may call anything. A node's queue is under one lock, and is made when its first task
// comes:
// [node-queue-1] stored (release) once it is made, loaded (acquire) by whoever looks into it. The
//                task lies in it after that, and is counted (`queued_`) before; then its maker
//                looks for sleepers: [sleep-1] covers all three.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/cache_line.h"
#include "mem/near_nodes.h"
#include "sched/scheduler.h"

namespace teff::sched {

template <class Atomics> class NodeQueuesOver final : public PolicyOver<Atomics> {
  public:
    using Lane = LaneOver<Atomics>;
    using Scheduler = SchedulerOver<Atomics>;
    using Queue = PriorityQueueOver<Atomics>;
    template <class T> using atomic = typename Atomics::template atomic<T>;

    // The node where the lane's member is just now: an index below `nodes.count`. Its owner asks.
    using NodeOf = unsigned (*)(const Lane&);

    // Each queue holds `limit` tasks. `scheduler`, whose policy this is, and `nodes` must
    // stay.
    NodeQueuesOver(Scheduler& scheduler, const mem::NearNodes& nodes, NodeOf node_of, std::uint32_t limit)
        : PolicyOver<Atomics>(Stands::kBesideForHomes), scheduler_(scheduler), nodes_(nodes), node_of_(node_of),
          limit_(limit) {}
    NodeQueuesOver(const NodeQueuesOver&) = delete;
    NodeQueuesOver& operator=(const NodeQueuesOver&) = delete;
    ~NodeQueuesOver() { // for tests: a team keeps its policy for ever
        for (Slot& slot : slots_)
            std::free(slot.queue.load(std::memory_order_relaxed));
    }

    void resize(unsigned lanes) override { alone_ = lanes == 1; }

    [[nodiscard]] bool put(Lane& lane, Runnable* item) override {
        const Home home = take_home_off(*item);
        return (home != kNoHome && try_put_at(home, item)) || scheduler_.put_of_lanes(lane, item);
    }
    void put_anywhere(Runnable* item) override {
        const Home home = take_home_off(*item);
        if (home == kNoHome || !try_put_at(home, item)) scheduler_.put_anywhere_of_lanes(item);
    }

    [[nodiscard]] Runnable* take(Lane& lane, const Waiter& waiter, Look look, Sought sought) override {
        Runnable* const item = take_if_any(lane, waiter, look, sought);
        if (item != nullptr) lane.has_left_tasks = false;
        if (item == nullptr && look == Look::kThorough && sought == Sought::kOnTop)
            slots_[node_of_(lane)].last_at_rest.store(lane.number, std::memory_order_relaxed);
        return item;
    }

    bool looks_drained() const override {
        if (!scheduler_.lanes_look_drained()) return false;
        for (unsigned node = 0; node < nodes_.count; ++node)
            if (const Queue* const queue = slots_[node].queue.load(std::memory_order_acquire); // [node-queue-1]
                queue != nullptr && queue->highest() != Queue::kNothing)
                return false;
        return true;
    }

    void forget_other_threads(Lane&) override {
        for (unsigned node = 0; node < nodes_.count; ++node) {
            Queue* const queue = slots_[node].queue.load(std::memory_order_acquire); // [node-queue-1]
            if (queue == nullptr) continue;
            queue->forget_other_threads();
            while (Runnable* const item = queue->take_highest_if([](const Runnable*) { return true; }))
                scheduler_.put_anywhere_of_lanes(item);
            slots_[node].length.store(0, std::memory_order_relaxed);
        }
        queued_.store(0, std::memory_order_relaxed);
    }

    // So many tasks for each step of distance a queue must have before other nodes are given of it:
    // the thesis takes the processors of a node, of which its machine has six.
    static constexpr std::int32_t kTasksPerHop = 6;
    // So many brief looks leave other nodes what is less, and the next one is as good as thorough.
    static constexpr unsigned kPatience = 64;
    // So many tasks the others ask about, for a waiter that may not run all.
    static constexpr unsigned kBriefLook = 32;

  private:
    struct alignas(base::kCacheLine) Slot {
        atomic<Queue*> queue{nullptr};      // [node-queue-1]
        atomic<std::int32_t> length{0};     // relaxed: a hint. How many tasks, or some more
        atomic<unsigned> last_at_rest{~0u}; // relaxed: a hint. Who found nothing on this node, the latest
    };

    // True: it lies there, and a member that sleeps on that node comes for it; if there is none,
    // any. False: the queue is full, there is no memory, or nobody else is there to run it.
    TEFF_COLD bool try_put_at(Home home, Runnable* item) {
        if (alone_) return false;
        Slot& slot = slots_[home - 1];
        Queue* const queue = queue_of(slot);
        if (queue == nullptr) return false;
        count(slot, 1); // first: it is never less than what lies there
        if (!queue->put(item)) return count(slot, -1), false;
        if (scheduler_.sleepers().worth_waking())
            scheduler_.wake_one(slot.last_at_rest.load(std::memory_order_relaxed));
        return true;
    }
    void count(Slot& slot, std::int32_t by) {
        queued_.fetch_add(by, std::memory_order_relaxed);
        slot.length.fetch_add(by, std::memory_order_relaxed);
    }

    Runnable* take_if_any(Lane& lane, const Waiter& waiter, Look look, Sought sought) {
        if (sought == Sought::kRaised || TEFF_LIKELY(queued_.load(std::memory_order_relaxed) <= 0))
            return scheduler_.take_of_lanes(lane, waiter, look, sought);
        return take_by_node(lane, waiter, look, sought);
    }

    TEFF_COLD Runnable* take_by_node(Lane& lane, const Waiter& waiter, Look look, Sought sought) {
        const auto of_lanes = [&](Sought of) { return scheduler_.take_of_lanes(lane, waiter, look, of); };
        const unsigned here = node_of_(lane); // once: the member may move meanwhile
        if (sought == Sought::kUnrelated && scheduler_.raised() > 0)
            if (Runnable* item = of_lanes(Sought::kRaised)) return item;
        if (Runnable* item = take_from(slots_[here], waiter, look)) return item;
        if (Runnable* item = of_lanes(sought)) return item;
        if (leaves_others_theirs(lane, waiter, look, sought)) return nullptr;
        return take_from_others(here, waiter, is_patience_over(lane) ? Look::kThorough : look);
    }

    // In a last look: are the tasks of other nodes left to who is on the way there?
    bool leaves_others_theirs(Lane& lane, const Waiter& waiter, Look look, Sought sought) {
        if (look == Look::kBrief || sought != Sought::kOnTop || waiter.constrained() || lane.has_left_tasks)
            return false;
        lane.has_left_tasks = scheduler_.sleepers().anybody_searches();
        return lane.has_left_tasks;
    }

    static bool is_patience_over(Lane& lane) {
        const bool is_over = lane.futile_looks >= kPatience;
        lane.futile_looks = is_over ? 0 : lane.futile_looks + 1;
        return is_over;
    }

    Runnable* take_from_others(unsigned here, const Waiter& waiter, Look look) {
        const bool takes_all = look == Look::kThorough || waiter.constrained();
        for (unsigned i = 0; i < nodes_.count; ++i) { // the first is `here`, where tasks may have come meanwhile
            const unsigned node = nodes_.by_distance[here][i];
            if (takes_all || has_enough(node, here))
                if (Runnable* item = take_from(slots_[node], waiter, look)) return item;
        }
        return nullptr;
    }

    bool has_enough(unsigned node, unsigned from) const {
        return slots_[node].length.load(std::memory_order_relaxed) > kTasksPerHop * nodes_.hops[from][node];
    }

    Queue* queue_of(Slot& slot) {
        Queue* const queue = slot.queue.load(std::memory_order_acquire); // [node-queue-1]
        return TEFF_LIKELY(queue != nullptr) ? queue : make_queue(slot);
    }
    // Of two threads that make it, one comes first.
    TEFF_COLD Queue* make_queue(Slot& slot) {
        Queue* const made = Queue::try_make(limit_);
        if (made == nullptr) return nullptr;
        Queue* present = nullptr;
        if (slot.queue.compare_exchange_strong(present, made, std::memory_order_acq_rel,
                                               std::memory_order_acquire)) // [node-queue-1]
            return made;
        std::free(made);
        return present;
    }

    // A waiter that may run its descendants alone searches from the newest on, where they mostly
    // are. Of one that may run any, a thorough look finds what lies behind a task that it refuses.
    Runnable* take_from(Slot& slot, const Waiter& waiter, Look look) {
        Queue* const queue = slot.queue.load(std::memory_order_acquire); // [node-queue-1]
        if (queue == nullptr) return nullptr;
        Runnable* item = waiter.constrained() ? nullptr : queue->take_highest_if(waiter);
        if (item == nullptr && look == Look::kThorough) item = queue->take_newest_if(waiter);
        else if (item == nullptr && waiter.constrained()) item = queue->take_newest_if(waiter, kBriefLook);
        return count_out(slot, item);
    }
    Runnable* count_out(Slot& slot, Runnable* item) {
        if (item != nullptr) count(slot, -1);
        return item;
    }

    Scheduler& scheduler_;
    const mem::NearNodes& nodes_;
    NodeOf node_of_;
    std::uint32_t limit_;
    bool alone_ = false; // a team of one
    // Relaxed: goes up before a task is put anywhere here, so who finds 0 need not look.
    alignas(base::kCacheLine) atomic<std::int32_t> queued_{0};
    Slot slots_[mem::NearNodes::kMost];
};

using NodeQueues = NodeQueuesOver<base::RealAtomics>;

} // namespace teff::sched
