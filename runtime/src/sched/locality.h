// SPDX-License-Identifier: Apache-2.0
//
// NodeQueues: one queue of ready tasks for each NUMA node, so that a task runs where its data lies.
// This is the scheduler of Muddukrishna's thesis (2016), algorithms 1 and 2. It is used together
// with work stealing (kBesideForHomes in policy.h).
//
// A task that has a home (task/homes.h) comes to these queues, from any thread; all other tasks go
// to the default policy. A member takes the newest task of its own deque, then the oldest task of
// its node's queue, then steals from other members, then takes from the queues of other nodes, the
// nearest node first. A brief look takes a task from another node's queue in two cases only: if
// that queue has enough tasks for the members of its node (kTasksPerHop), or if enough earlier
// looks left the tasks there (kPatience). If all node queues are empty, a member looks at the lanes
// only.
//
// The policy guarantees the following:
//
// - No task is left to another member for good. A thorough look, which is also the last look before
//   a sleep, examines the queues of all nodes to their ends. Some brief looks do so too, because a
//   member may never sleep while no other member is on the task's node. So a waiter finds every
//   task that it may run, wherever the task lies.
// - Woken members come first. While a woken member is searching, another member's thorough look
//   leaves the tasks of other nodes to the woken member. A member does this only once in a row,
//   because the woken member may belong to another node; the next time it takes the tasks. A member
//   that may run only its descendants never leaves tasks to a woken member. Nothing is lost: a
//   member that makes its last look before it sleeps has entered the sleepers, and the woken member
//   counts as a searcher until it stops. When the last searcher stops, it looks at all queues and
//   wakes a sleeper ([sleep-2]). So while a task waits to be run, each member goes to sleep at most
//   once.
// - Own children first. A waiting task finds its children in its lane before it looks here. From
//   these queues it takes its descendants only: the newest task of each node first, and tasks of
//   other nodes even if their queues hold few tasks. Otherwise it would begin unrelated tasks one
//   after the other and leave all of them unfinished.
// - Tied tasks. The position of a task in these queues does not prove that the task is a
//   descendant. So the queue asks the waiter about each task, under the queue's lock; the task
//   cannot vanish meanwhile.
// - Priorities and preemption. A task with a priority has no home. The default policy keeps such
//   tasks, and they go before all tasks in these queues.
// - Running in place. If a creator floods its queue and therefore runs a task in place, that task
//   does not come to these queues. Only the state of the creator's lane decides which tasks run in
//   place.
// - A team of one. No task comes to these queues, because there is no other member to run it. So a
//   single thread runs its tasks in the default policy's order.
// - Limits. A node's queue holds as many tasks as a deque. A task that does not fit goes to the
//   lane of the thread that made it ready; if the lane is full, that thread runs the task, as
//   without this policy. A creator of many dependent tasks also helps to run the tasks in these
//   queues.
// - fork. A forked child moves the tasks from these queues to the default policy's shared queue,
//   which every look includes. Until the region ends, the child is a team of one, whose only thread
//   never sleeps and so never makes the last look before a sleep.
//
// With this policy, a lane's owner and its thieves take a task's children in another order than
// with the default policy. Decision record 0019 says for which programs this matters.
//
// policy.h says which functions are called by a lane's owner only; any thread may call the others.
// Each node's queue has one lock, and is made when its first task comes:
// [node-queue-1] The pointer to a queue is stored (release) once the queue is made, and loaded
//                (acquire) by each thread that looks into the queue. The thread that makes a task
//                ready counts the task (`queued_`), puts it into the queue (after the pointer is
//                stored), and then looks for sleepers: [sleep-1] covers all three steps.
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

    // Returns the node where the lane's member is at present: an index below `nodes.count`. Called
    // by the lane's owner.
    using NodeOf = unsigned (*)(const Lane&);

    // Each queue holds `limit` tasks. This is the policy of `scheduler`. `scheduler` and `nodes`
    // must outlive this object.
    NodeQueuesOver(Scheduler& scheduler, const mem::NearNodes& nodes, NodeOf node_of, std::uint32_t limit)
        : PolicyOver<Atomics>(Stands::kBesideForHomes), scheduler_(scheduler), nodes_(nodes), node_of_(node_of),
          limit_(limit) {}
    NodeQueuesOver(const NodeQueuesOver&) = delete;
    NodeQueuesOver& operator=(const NodeQueuesOver&) = delete;
    ~NodeQueuesOver() { // for tests only: a team never frees its policy
        for (Slot& slot : slots_)
            Queue::destroy(slot.queue.load(std::memory_order_relaxed));
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

    // A brief look takes tasks from a node's queue only if the queue has more than this many tasks
    // for each step of distance. The thesis uses the number of a node's processors, which is six on
    // its machine.
    static constexpr std::int32_t kTasksPerHop = 6;
    // After a member has looked this many times into the queues of other nodes, its next look there
    // takes tasks as a thorough look does.
    static constexpr unsigned kPatience = 64;
    // The most tasks of a queue that a brief look offers to a waiter that may run its descendants
    // only.
    static constexpr unsigned kBriefLook = 32;

  private:
    struct alignas(base::kCacheLine) Slot {
        atomic<Queue*> queue{nullptr};      // [node-queue-1]
        atomic<std::int32_t> length{0};     // relaxed, a hint: an upper bound of the number of tasks
        atomic<unsigned> last_at_rest{~0u}; // relaxed, a hint: the last member on this node that found nothing
    };

    // Puts the task into its home's queue and wakes a sleeping member: the last member of that node
    // that found nothing, if it sleeps, otherwise any. Returns false if the queue is full, if there
    // is no memory, or if the team has no other member to run the task.
    TEFF_COLD bool try_put_at(Home home, Runnable* item) {
        if (alone_) return false;
        Slot& slot = slots_[home - 1];
        Queue* const queue = queue_of(slot);
        if (queue == nullptr) return false;
        count(slot, 1); // counted before the put, so that the count is never below the number of tasks
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
        const unsigned here = node_of_(lane); // asked once: the member may move meanwhile
        if (sought == Sought::kUnrelated && scheduler_.raised() > 0)
            if (Runnable* item = of_lanes(Sought::kRaised)) return item;
        if (Runnable* item = take_from(slots_[here], waiter, look)) return item;
        if (Runnable* item = of_lanes(sought)) return item;
        if (leaves_others_theirs(lane, waiter, look, sought)) return nullptr;
        return take_from_others(here, waiter, is_patience_over(lane) ? Look::kThorough : look);
    }

    // Returns true if this look is to leave the tasks of other nodes to a searching member. Only a
    // thorough look does so, and only once until the member finds a task.
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
    // Makes the node's queue. If another thread stores its queue first, returns that queue. Returns
    // null if there is no memory.
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

    // Takes a task from the node's queue. For a waiter that may run its descendants only, the
    // search starts at the newest task, because descendants are mostly among the newest. For a
    // waiter that may run any task, a thorough look also finds tasks behind a task that the waiter
    // refuses.
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
    // An upper bound of the number of tasks in all queues. Relaxed. It is incremented before a task
    // is put into a queue, so a thread that reads 0 need not look.
    alignas(base::kCacheLine) atomic<std::int32_t> queued_{0};
    Slot slots_[mem::NearNodes::kMost];
};

using NodeQueues = NodeQueuesOver<base::RealAtomics>;

} // namespace teff::sched
