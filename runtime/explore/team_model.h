// SPDX-License-Identifier: Apache-2.0
//
// A model of a team for the explorer. The model uses the runtime's own Scheduler, Sleepers, deque,
// Parker, SplitCount, Wait, Suspension, Notification, ReadyContexts, MovingContexts, barrier, join
// and Inbox. The
// types around them (Worker, Context, Member, Team, Task) and the code that runs a task are reduced
// to the minimum. The template parameter Rules (see Right) lists the rules that the model shares
// with the runtime. A test that weakens one of these rules must make the explorer find a failure.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "explore/explore.h"
#include "explore/stack.h"
#include "explore/wait_alone.h"
#include "fiber/context.h"
#include "region/team_protocol.h"
#include "sched/locality.h"
#include "sched/wait.h"
#include "sync/split_count.h"
#include "task/suspension.h"
#include "team/inbox.h"
#include "team/moving_contexts.h"
#include "team/notification.h"
#include "team/ready_contexts.h"

namespace teff::explore {

// Nothing is weakened.
struct Right {
    using Atomics = explore::Atomics;
    // A tied task that waits runs its descendants alone.
    static constexpr bool kAsksForDescent = true;
    // What an event makes ready goes past the lane of whoever fulfils it.
    static constexpr bool kUnrelatedGoPastTheLane = true;
    // Before a worker idles, it passes on the ends of tasks that it has kept back.
    static constexpr bool kPassesEndsOn = true;
    // A member that has joined checks whether the leader waits for a quiet team.
    static constexpr bool kLooksForALeader = true;
    // A member that lingers runs no task of a region that has begun meanwhile.
    static constexpr bool kKeepsToItsPhase = true;
    // Whoever opens the barrier wakes the sleepers, and so does a cancellation.
    static constexpr bool kWakesSleepers = true;
    // Tasks go to the queue of a node on which no member is (sched/locality.h).
    static constexpr bool kDeals = false;
    // Whoever may look at the queues of all nodes does so.
    static constexpr bool kSeesAllNodes = true;
    // Members of a group, if the barrier is the combining one; else 0.
    static constexpr unsigned kFanIn = 0;
    // Tasks leave their stacks.
    static constexpr bool kContexts = false;
    // A context's worker is woken only after the context is ready.
    static constexpr bool kReadyBeforeWoken = true;
    // Contexts may move to another worker.
    static constexpr bool kMoves = false;
    // Whoever offers a context wakes a member that sleeps.
    static constexpr bool kWakesForOffers = true;
    using OfferAtomics = explore::Atomics;
    template <class A> using Notification = team::NotificationOver<A>;
    template <class A> using Parker = sync::ParkerOver<A>;
    using ReadyAtomics = explore::Atomics;
    // The condition as it appears to the code that leaves its stack.
    template <class Condition> using Leaving = Condition&;
};
// Two nodes. All members are on the first.
template <class Rules> const mem::NearNodes& two_nodes() {
    static const auto near = [] {
        auto nodes = std::make_unique<mem::NearNodes>();
        nodes->count = 2;
        nodes->hops[0][1] = nodes->hops[1][0] = 1;
        nodes->by_distance[0] = {0, Rules::kSeesAllNodes ? std::uint8_t{1} : std::uint8_t{0}};
        nodes->by_distance[1] = {1, 0};
        return nodes;
    }();
    return *near;
}

template <class Rules> struct Explored {
    using Atomics = typename Rules::Atomics;
    template <class T> using atomic = typename Atomics::template atomic<T>;
    using Scheduler = sched::SchedulerOver<Atomics>;

    struct Context;
    struct Member;
    struct Team;
    struct Worker;
    struct Task : sched::Runnable {
        Task() = default;
        explicit Task(std::function<void(Worker&)> function) : body(std::move(function)) {}

        bool descends_from(const Task& other) const {
            for (const Task* up = parent; up != nullptr; up = up->parent)
                if (up == &other) return true;
            return false;
        }

        std::function<void(Worker&)> body;
        Task* parent = nullptr;
        explore::Var<Context*> home{nullptr}; // where it runs
        bool tied_and_waits = false;
        bool untied = false;
        bool awaits_end_of_bar = false; // it waits on a barred context, with tasks queued
        sync::SplitCountOver<Atomics> children;
        explore::Var<int> runs{0}; // plain: whoever reads it must come after the run
    };

    // As team::Context.
    struct Context {
        explicit Context(Worker& on) : on(&on) {}

        Worker& worker() const { return *on.load(std::memory_order_relaxed); } // as [moved-1]
        void notify() {
            if constexpr (!Rules::kReadyBeforeWoken) worker().parker.unpark(TEFF_WAKE_EVENT);
            if constexpr (Rules::kReadyBeforeWoken) team::notify_and_wake(*this);
            else if (notification.notify()) make_ready(*this);
        }
        friend void make_ready(Context& suspended) {
            Member* const of = suspended.member;
            EXPLORE_CHECK(of != nullptr && suspended.priority == 0);
            if (suspended.moves) offer(suspended);
            else of->ready.arrive(suspended);
        }
        // As team::offer.
        static void offer(Context& context) {
            Member& home = *context.member.get();
            Team& team = *home.team;
            if (!team.moving.try_offer(context)) return home.ready.arrive(context);
            if (Rules::kWakesForOffers && team.ready.sleepers().worth_waking()) team.ready.wake_one();
        }
        Fiber& fiber() { return stack ? stack->fiber() : own; }

        atomic<Worker*> on;
        StackInUse stack; // none: its thread's own
        Fiber own;
        typename Rules::template Notification<Atomics> notification;
        team::PlaceInLine<Context> line;
        // Plain: whoever notifies reads the first two; only the worker reads the others.
        explore::Var<Member*> member{nullptr};
        explore::Var<std::int32_t> priority{0};
        explore::Var<Task*> task{nullptr};
        typename sched::LaneOver<Atomics>::Queue* queue = nullptr;
        sched::Mark since = 0;
        Task* first = nullptr;
        bool left = false;
        Task* root = nullptr;            // the task at the bottom, if the context may move
        explore::Var<bool> moves{false}; // plain, as `member`
        bool has_departed = false;       // only checked
    };

    struct Member {
        sched::LaneOver<Atomics> lane;
        Team* team = nullptr;
        unsigned number = 0;
        Worker* worker = nullptr;
        bool may_defer = false;
        Task implicit;
        Task* implicit_task = &implicit;
        team::ReadyContextsOver<typename Rules::ReadyAtomics, Context> ready;
        Context* outside = nullptr;
        std::vector<Context*> barred; // that wait for the end of their bar
        atomic<std::uint64_t> created{0}, finished{0};
        bool waits_outside = false;

        static void count(atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
            counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_release); // as team::Member
        }
    };

    struct Ends {
        Task* parent = nullptr;
        std::uint32_t tasks = 0;
    };

    struct Worker {
        Member* member = nullptr;
        Task* task = nullptr;
        bool may_spin = true;
        idle::SpinHistory spins;
        std::uint32_t team_phase = 0, team_size = 1;
        Worker* leader = nullptr;
        Context base{*this};
        Context* context = &base;
        std::vector<std::unique_ptr<Context>> contexts;
        std::vector<Context*> free_contexts;
        Ends ends;
        fiber::After after{[](void*) {}, nullptr}; // what the context does at which it is about to arrive
        typename Rules::template Parker<Atomics> parker;
        team::InboxOver<Atomics, Member> inbox;
    };

    struct Team {
        explicit Team(unsigned members_) : size(members_), all(members_), lanes(members_), workers(members_) {
            for (unsigned i = 0; i < members_; ++i) {
                all[i] = std::make_unique<Member>();
                workers[i] = std::make_unique<Worker>();
                lanes[i] = &all[i]->lane;
                set_up(*all[i], *workers[i], i);
            }
            members = all.data();
            if (Rules::kDeals) ready.choose(&nodes);
            ready.attach(lanes.data(), &sleeper_bits, size);
            ready.resize(size);
            make_groups();
        }

        void make_groups() {
            if constexpr (Rules::kFanIn != 0) {
                using Lines = sync::barriers::Groups<Atomics>;
                group_lines.reset(new typename Lines::Line[Lines::lines_for({size, Rules::kFanIn})]);
                groups = {group_lines.get(), size, Rules::kFanIn};
            }
        }

        void set_up(Member& member, Worker& worker, unsigned number) {
            member.team = this;
            member.number = member.lane.number = number;
            member.worker = &worker;
            member.lane.limit = 4;
            member.lane.parker.store(&worker.parker, std::memory_order_relaxed);
            member.implicit.home = &worker.base;
            worker.leader = workers[0].get();
            worker.team_size = size;
        }
        ~Team() {
            for (auto& member : all)
                member->lane.free_memory();
        }
        unsigned capacity() const { return static_cast<unsigned>(all.size()); }

        // As team_of_size: between regions, while members may linger that will have no place in the
        // next one.
        void resize(unsigned members_) {
            if (size == members_) return;
            for (auto& member : all) {
                member->created.store(0, std::memory_order_relaxed);
                member->finished.store(0, std::memory_order_relaxed);
            }
            size = members_;
            ready.resize(members_);
        }
        Worker& worker(unsigned number) { return *workers[number]; }

        explore::Var<unsigned> size; // plain: nobody who lingers may look at it
        std::vector<std::unique_ptr<Member>> all;
        std::vector<sched::LaneOver<Atomics>*> lanes;
        std::vector<std::unique_ptr<Worker>> workers;
        std::unique_ptr<Member>* members = nullptr;
        bool orphaned = false;
        atomic<std::uint32_t> generation{0}, arrived{0}, joined{0};
        atomic<bool> has_tasks{false}, cancelled{false};
        atomic<std::uint64_t> finished_elsewhere{0}, sleeper_bits{0};
        std::unique_ptr<sync::barriers::Line<Atomics>[]> group_lines;
        sync::barriers::Groups<Atomics> groups;
        Scheduler ready;
        team::MovingContextsOver<typename Rules::OfferAtomics, Context, Member, Task, 2> moving;
        sched::NodeQueuesOver<Atomics> nodes{ready, two_nodes<Rules>(),
                                             [](const sched::LaneOver<Atomics>&) { return 0u; }, 4};
    };

    // What is around a wait, as task::WaitHost.
    struct Host : explore::WaitAlone<typename Explored::Worker> {
        using Atomics = Explored::Atomics;
        using Worker = Explored::Worker;
        using Task = Explored::Task;
        using SpinTicks = idle::SpinTicks;

        static void run(Worker& worker, Task& task) {
            Task* const below = worker.task;
            EXPLORE_CHECK(below == nullptr || !below->tied_and_waits || task.descends_from(*below));
            const sched::Mark outer = Scheduler::enter(worker.member->lane);
            Context& here = *worker.context;
            worker.task = &task;
            task.home = &here;
            task.runs = task.runs + 1;
            if (task.body) task.body(worker);
            end(here.worker(), task, &here.worker() == &worker ? below : here.worker().member->implicit_task, outer);
        }
        static void end(Worker& worker, Task& task, Task* below, sched::Mark outer) {
            worker.task = below;
            Scheduler::leave(worker.member->lane, outer);
            if (task.parent != nullptr) end_child(worker, *task.parent);
            else Member::count(worker.member->finished);
        }

        // As task/ends.h.
        static void end_child(Worker& worker, Task& parent) {
            if (parent.home == worker.context) {
                parent.children.end_home();
                return Member::count(worker.member->finished);
            }
            if (worker.ends.tasks != 0 && worker.ends.parent != &parent) pass_on_ends(worker);
            worker.ends = {&parent, worker.ends.tasks + 1};
        }
        static void end_away(Task& parent, std::uint32_t tasks) {
            Context* const home = parent.home;
            if (parent.children.end_away(tasks) == sync::Last::kNotifyHome) home->notify();
        }
        static bool holds_ends(const Worker& worker) { return Rules::kPassesEndsOn && worker.ends.tasks != 0; }
        static bool ends_decide(const Worker&) { return false; }
        static bool ends_alike(const Worker& worker, const Task& task) { return worker.ends.parent == task.parent; }
        static void pass_on_ends(Worker& worker) {
            const Ends ends = worker.ends;
            worker.ends = {};
            end_away(*ends.parent, ends.tasks);
            Member::count(worker.member->finished, ends.tasks);
        }

        static base::Ticks ticks() { return 0; }
        static SpinTicks spin_ticks() { return {}; }
    };

    enum class Kind : std::uint8_t { kInTask, kOutsideOfTasks };

    // The same where tasks leave their stacks, and what is around that, as task::SuspendHost.
    struct ContextHost : Host {
        using Context = Explored::Context;
        struct Other {
            Context* context = nullptr;
            Task* starts = nullptr;
            explicit operator bool() const { return context != nullptr; }
        };
        using Suspension = task::SuspensionOver<ContextHost>;

        template <class Condition> static bool own_tasks_first(const Worker& worker, const Condition&) {
            return !Rules::kMoves && !worker.member->ready.any();
        }
        template <class Condition> static sched::Row row(const Worker& worker, const Condition&) {
            if (Condition::kKind == Kind::kOutsideOfTasks) return sched::kOutsideOfTasks;
            return worker.task->untied ? sched::kUntiedWait : sched::kTiedWait;
        }
        static void see(const Worker& worker, sched::Seen& seen) {
            const Context* const first = worker.member->ready.first();
            seen.ready = first != nullptr ? first->priority.get() : sched::kNoLevel;
            if (Rules::kMoves && first == nullptr) seen.ready = worker.member->team->moving.highest(may_take(worker));
        }
        // As task/moving.cpp.
        static auto may_take(const Worker& worker) {
            const Member* const home = worker.member;
            const bool from_others = home->waits_outside && worker.task == home->implicit_task;
            return [=](const auto& offer) { return offer.home == home || from_others; };
        }
        static Context* take_ready(Worker& worker) {
            Context* const first = worker.member->ready.take();
            if (first != nullptr || !Rules::kMoves) return first;
            return worker.member->team->moving.take(may_take(worker));
        }
        static bool may_move(Worker& worker, Context& self) {
            if (self.root == nullptr || self.root != worker.task || self.queue != nullptr) return false;
            self.moves = true;
            return true;
        }
        static void adopt(Worker& worker, Context& context) {
            EXPLORE_CHECK(context.left && context.has_departed);
            context.moves = false;
            context.has_departed = false;
            context.on.store(&worker, std::memory_order_relaxed);
        }
        static void has_departed(Context& context) { context.has_departed = true; }
        static void offer(Context& context) { Context::offer(context); }
        using After = fiber::After;
        static constexpr After kNothingToDo = {[](void*) {}, nullptr};
        // Called on the stack of arrival.
        static void arrived(const Context& here) {
            const After after = std::exchange(here.worker().after, kNothingToDo);
            after.function(after.argument);
        }
        template <class Team> static bool has_offers(Team& team) { return team.moving.should_wake_another(); }
        template <class Condition>
        static Other find_other(Worker& worker, const Condition&, sched::Act act, sched::Look look,
                                std::int32_t = sched::kNoLevel) {
            Member& member = *worker.member;
            if (act == sched::Act::kResume) return {.context = take_ready(worker)};
            if (act != sched::Act::kStart) return {};
            Context& fresh = take_context(worker);
            auto* const task = member.team->ready.take_unrelated(member.lane, sched::Everything{}, look);
            if (task != nullptr) return {.context = &fresh, .starts = static_cast<Task*>(task)};
            give_back(fresh);
            return {};
        }
        template <class Condition> static Other find_unnotified(const Worker&, const Condition&) { return {}; }
        template <class Condition>
        static Worker& go_to_other(Worker& worker, Condition& condition, const Other& other) {
            const Context& here = *worker.context;
            condition.go_to_other(condition, other);
            return here.worker();
        }

        struct AtBottomOfStack : sched::Everything {
            explicit AtBottomOfStack(const Worker&) {}
        };
        static constexpr Kind kAtBottom = Kind::kOutsideOfTasks;
        template <class Condition> static void wait(Worker& worker, Condition& at_bottom) {
            sched::WaitOver<ContextHost>().until(worker, at_bottom);
        }
        static void run(Worker& worker, Task& task) {
            const bool outside = worker.member->waits_outside && worker.context == &worker.base;
            if (Rules::kMoves && task.untied && outside) {
                Context& fresh = take_context(worker);
                return Suspension::leave_outside(worker, {.context = &fresh, .starts = &task});
            }
            Host::run(worker, task);
            if (worker.ends.tasks != 0) Host::pass_on_ends(worker);
        }
        static Worker& run_first(Worker& first, Task& task) {
            Context& self = *first.context;
            if (Rules::kMoves && task.untied) self.root = &task;
            Host::run(first, task);
            self.root = nullptr;
            Worker& worker = self.worker();
            if (worker.ends.tasks != 0) Host::pass_on_ends(worker);
            return worker;
        }
        static void before_leaving(Worker& worker) {
            if (worker.ends.tasks != 0) Host::pass_on_ends(worker);
        }
        static void keep(const Worker& worker, Context& self) {
            EXPLORE_CHECK(worker.context == &self && !self.left);
            self.left = true;
        }
        static void take_back(const Worker& worker, Context& self) {
            EXPLORE_CHECK(worker.context == &self && self.left);
            self.left = false;
        }
        static void departs(const Worker&) {}
        static bool is_barred(const Worker&) { return false; }
        static void await_end_of_bar(Worker& worker) {
            if (worker.task->awaits_end_of_bar) worker.member->barred.push_back(worker.context);
        }
        static void stop_awaiting_end_of_bar(Context& context) {
            std::erase(context.worker().member->barred, &context);
        }
        static void start(Context& from, Context& to, const After& after) {
            EXPLORE_CHECK(!to.stack->is_in_use());
            from.worker().after = after;
            to.stack->start(
                from.fiber(),
                [](void* context) {
                    auto& self = *static_cast<Context*>(context);
                    arrived(self);
                    Suspension::begin(self);
                },
                &to);
            arrived(from);
        }
        static void switch_to(Context& from, Context& to, const After& after) {
            EXPLORE_CHECK(to.left && &from != &to); // else there is nothing to go on with
            from.worker().after = after;
            from.fiber().switch_to(to.fiber());
            arrived(from);
        }
        static void stands_on(const Worker&) {}
        static void begins(const Worker&, const Context&) {}
        static void ends(const Worker&, const Context&) {}
        static Context& take_context(Worker& worker) {
            if (worker.free_contexts.empty()) {
                worker.contexts.push_back(std::make_unique<Context>(worker));
                worker.contexts.back()->stack.take();
                worker.free_contexts.push_back(worker.contexts.back().get());
            }
            Context* const taken = worker.free_contexts.back();
            worker.free_contexts.pop_back();
            return *taken;
        }
        static void give_back(Context& fresh) { fresh.worker().free_contexts.push_back(&fresh); }
        static void leave_for(Worker& worker, Context& to) {
            EXPLORE_CHECK(to.left);
            Context& self = *worker.context;
            give_back(self);
            worker.context = &to;
            self.stack->leave_for(to.fiber()); // returns when it begins anew
        }
    };
    using Suspension = typename ContextHost::Suspension;

    template <class Condition> static void wait_until(Worker& worker, Condition condition) {
        sched::WaitOver<std::conditional_t<Rules::kContexts, ContextHost, Host>>().until(worker, condition);
    }
    // As task::wait_outside.
    template <class Condition> struct AtGround : Condition {
        static constexpr Kind kKind = Kind::kOutsideOfTasks;
        Worker& waiting;
        static void go_to_other(AtGround& condition, const typename ContextHost::Other& other) {
            Suspension::leave_outside(condition.waiting, other);
        }
    };
    template <class Condition> static void wait_outside(Worker& worker, Condition condition) {
        worker.member->waits_outside = true;
        wait_until(worker, AtGround<Condition>{condition, worker});
        worker.member->waits_outside = false;
    }

    // ---- What a program does.

    // A task of the current task, for the worker's own lane.
    static void create(Worker& worker, Task& task) {
        Member& member = *worker.member;
        prepare_to_defer(member);
        task.parent = worker.task;
        worker.task->children.begin_home();
        Member::count(member.created);
        if (Rules::kDeals) task.priority = sched::way_home(2);
        if (!member.team->ready.make_ready(member.lane, &task)) Host::run(worker, task);
    }

    // An unrelated task becomes ready, as by an event that the worker's task fulfils.
    static void make_unrelated_ready(Worker& worker, Task& task) {
        Member& member = *worker.member;
        prepare_to_defer(member);
        Member::count(member.created);
        if (Rules::kUnrelatedGoPastTheLane) member.team->ready.make_ready_anywhere(&task);
        else EXPLORE_CHECK(member.team->ready.make_ready(member.lane, &task));
    }

    static void taskwait(Worker& worker) {
        Task& task = *worker.task;
        task.tied_and_waits = !task.untied;
        if (!task.children.none_left()) wait_until(worker, ChildrenEnded{*worker.context, task});
        task.tied_and_waits = false;
    }

    static void barrier(Worker& worker, bool cancellable = false) {
        Team& team = *worker.member->team;
        const std::uint32_t phase = team.generation.load(std::memory_order_relaxed);
        if constexpr (Rules::kFanIn == 0)
            wait_if_not_last(worker, region::BarrierOpen<Atomics, Team>{{team}, phase, cancellable});
        else wait_if_not_last(worker, InGroups{{team, worker.member->number}, phase, cancellable});
    }
    using InGroups = region::BarrierOpen<Atomics, Team, region::CombiningWay<Atomics, Team>>;
    template <class Open> static void wait_if_not_last(Worker& worker, Open open) {
        if (!open.arrive()) wait_outside(worker, open);
    }

    static void cancel(Team& team) {
        team.cancelled.store(true, std::memory_order_seq_cst); // [cancel-1]
        if (Rules::kWakesSleepers) team.ready.wake_all(TEFF_WAKE_TEAM);
    }

    static void begin_implicit_task(Worker& worker, Member& member) {
        worker.member = &member;
        worker.task = &member.implicit;
        worker.team_size = member.team->size;
        member.implicit.children.reset();
        member.may_defer = false;
    }

    static void join_all(Worker& leader) { wait_outside(leader, region::AllJoined<Team>{*leader.member->team}); }

    // The leader's part of a region with `size` members.
    template <class Body> static void run_region(Team& team, unsigned size, Body&& body) {
        Worker& leader = team.worker(0);
        team.resize(size);
        team.generation.fetch_add(1, std::memory_order_release); // [phase-1]
        team.joined.store(0, std::memory_order_relaxed);
        for (unsigned i = 1; i < size; ++i)
            team.worker(i).inbox.give(*team.members[i], team.worker(i).parker);
        begin_implicit_task(leader, *team.members[0]);
        body(leader);
        join_all(leader);
        team.has_tasks.store(false, std::memory_order_relaxed);
    }
    static void retire(Team& team) {
        for (unsigned i = 1; i < team.capacity(); ++i)
            team.worker(i).inbox.retire(team.worker(i).parker);
    }
    static void dismiss(Team& team) {
        Worker& leader = team.worker(0);
        for (unsigned i = 1; i < team.capacity(); ++i)
            if (!team.worker(i).inbox.is_outside())
                team.worker(i).inbox.ask_outside(leader.parker, team.worker(i).parker);
        for (unsigned i = 1; i < team.capacity(); ++i)
            team.worker(i).inbox.await_outside(leader.parker);
    }
    // The life of a pool worker, as region::worker_main.
    template <class Body> static void live(Worker& worker, Body&& body) {
        for (;;) {
            if (worker.member != nullptr) wait_outside(worker, NextLetter{{worker, *worker.member->team}});
            if (!worker.inbox.has_letter()) {
                worker.member = nullptr;
                worker.inbox.await(worker.parker);
            }
            const auto letter = worker.inbox.take();
            if (letter.is_retirement()) return;
            if (letter.is_outside()) {
                worker.member = nullptr;
                worker.inbox.step_outside();
                continue;
            }
            begin_implicit_task(worker, letter.place());
            body(worker);
            region::join(worker, *worker.member->team);
        }
    }

    // As taskyield: a task that is ready goes on, or another one starts, and this task waits for
    // its turn.
    static void yield(Worker& worker) {
        for (const sched::Act act : {sched::Act::kResume, sched::Act::kStart})
            if (const auto other = ContextHost::find_other(worker, act, act, sched::Look::kBrief))
                return Suspension::give_way(worker, other, task::Goes::kToEnd, task::Caller::kMayMove);
    }

    // Looks for contexts that any member may continue, until `over` returns true.
    template <class Over> static void take_offers(Worker& worker, Over&& over) {
        worker.member->waits_outside = true;
        while (!over()) {
            if (Context* const context = ContextHost::take_ready(worker))
                Suspension::leave_outside(worker, {.context = context});
            else Atomics::cpu_relax();
        }
        worker.member->waits_outside = false;
    }
    // Starts the task on a context of its own, beside a wait outside of tasks.
    static void start_apart(Worker& worker, Task& task) {
        Suspension::leave_outside(worker, {.context = &ContextHost::take_context(worker), .starts = &task});
    }

    // As task/constraint.cpp, for a task that has barred others and has ended.
    static void end_bars(Worker& worker) {
        for (Context* const context : std::exchange(worker.member->barred, {}))
            if (context->notification.set_aside()) worker.member->ready.put_at_end(*context);
    }

    // ---- Conditions of this team.

    struct Descendants {
        const Task& waiting;
        bool constrained() const { return Rules::kAsksForDescent; }
        bool operator()(const sched::Runnable* item) const {
            return !Rules::kAsksForDescent || static_cast<const Task*>(item)->descends_from(waiting);
        }
    };
    struct ChildrenEnded { // as task/conditions.h
        static constexpr Kind kKind = Kind::kInTask;
        Context& context;
        Task& waiting;
        bool over() const { return waiting.children.none_left(); }
        bool try_arm() { return waiting.children.try_open_to_waiting(); }
        void disarm() { waiting.children.unfold(); }
        void ran_out() {}
        Descendants eligible() const { return {waiting}; }
        static void go_to_other(ChildrenEnded& condition, const typename ContextHost::Other& other) {
            Worker& worker = condition.context.worker();
            Member& member = *worker.member;
            if (member.team->ready.has_own(member.lane, condition.eligible(), false))
                return Suspension::give_way(worker, other, task::Goes::kToEnd);
            typename Rules::template Leaving<ChildrenEnded> leaving{condition};
            Suspension::leave_until_notified(worker, leaving, other, task::Caller::kMayMove);
        }
    };
    struct NextLetter : region::LetterArrived<Atomics, Worker, Team> {
        using Base = region::LetterArrived<Atomics, Worker, Team>;
        bool try_arm() { return Rules::kLooksForALeader ? Base::try_arm() : Base::worker.inbox.try_fall_asleep(); }
        void ran_out() {
            if (Rules::kLooksForALeader) Base::ran_out();
        }
        auto eligible() const {
            if constexpr (Rules::kKeepsToItsPhase) return Base::eligible();
            else return sched::Everything{};
        }
    };

  private:
    static void prepare_to_defer(Member& member) {
        if (member.may_defer) return;
        member.may_defer = true;
        member.team->has_tasks.exchange(true, std::memory_order_seq_cst); // [tasks-1]
    }
};

// A program's state: the team, and its tasks.
template <class Rules, unsigned kTasks> struct Run {
    using Model = Explored<Rules>;
    using Worker = typename Model::Worker;
    using Task = typename Model::Task;

    explicit Run(unsigned members) : team(members) {}

    // Member `number` in a region that is under way.
    Worker& enter(unsigned number) {
        Worker& worker = team.worker(number);
        Model::begin_implicit_task(worker, *team.members[number]);
        return worker;
    }
    void expect_all_have_run() {
        for (Task& task : tasks)
            EXPLORE_CHECK(task.runs == 1);
    }
    void check_at_end() {
        expect_all_have_run();
        EXPLORE_CHECK(team.ready.looks_drained());
        EXPLORE_CHECK(!team.ready.sleepers().any());
    }

    typename Model::Team team;
    std::array<Task, kTasks> tasks;
};

} // namespace teff::explore
