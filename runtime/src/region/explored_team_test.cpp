// SPDX-License-Identifier: Apache-2.0
//
// Scheduler, waits, barrier, join and inbox together, as they are shipped, under the explorer. Each
// protocol alone has tests beside it.
//
// Scheduler, Sleepers, deque, Parker, SplitCount, Wait, barrier, join and Inbox are those of the
// runtime. What is around them, the types Worker, Member, Team and Task and how a task runs, is as
// small as it can be. Rules (see Right) says what of it is as in the runtime: a program that
// weakens one of them must fail.
#include <array>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <vector>

#include "explore/explore.h"
#include "explore/wait_alone.h"
#include "region/team_protocol.h"
#include "sched/locality.h"
#include "sched/wait.h"
#include "sync/split_count.h"
#include "team/inbox.h"

namespace teff::region {
namespace {

// Nothing is weakened.
struct Right {
    using Atomics = explore::Atomics;
    // A tied task that waits runs its descendants alone.
    static constexpr bool kAsksForDescent = true;
    // What an event makes ready goes past the lane of whoever fulfils it.
    static constexpr bool kUnrelatedGoPastTheLane = true;
    // A worker passes on the ends that it keeps before it idles.
    static constexpr bool kPassesEndsOn = true;
    // A member that has joined looks whether the leader waits for a quiet team.
    static constexpr bool kLooksForALeader = true;
    // One that lingers runs no task of a region that has begun meanwhile.
    static constexpr bool kKeepsToItsPhase = true;
    // The barrier's opener wakes who sleeps, as does a cancellation.
    static constexpr bool kWakesSleepers = true;
    // Tasks go to the queue of a node on which nobody is (sched/locality.h).
    static constexpr bool kDeals = false;
    // Who looks at all nodes does.
    static constexpr bool kSeesAllNodes = true;
    // Members of a group, if the barrier is the combining one; else 0.
    static constexpr unsigned kFanIn = 0;
};
// The combining barrier, whose groups have one member each: with two members, each climbs.
struct Combines : Right {
    static constexpr unsigned kFanIn = 1;
};
struct CombinesPairs : Right {
    static constexpr unsigned kFanIn = 2;
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
        Worker* home = nullptr; // who runs it
        bool tied_and_waits = false;
        sync::SplitCountOver<Atomics> children;
        explore::Var<int> runs{0}; // plain: whoever reads it must come after the run
    };

    struct Member {
        sched::LaneOver<Atomics> lane;
        Team* team = nullptr;
        unsigned number = 0;
        Worker* worker = nullptr;
        bool may_defer = false;
        Task implicit;
        atomic<std::uint64_t> created{0}, finished{0};

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
        bool may_spin = true, spins_long = false;
        std::uint32_t team_phase = 0, team_size = 1;
        Worker* leader = nullptr;
        Ends ends;
        sync::ParkerOver<Atomics> parker;
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
            member.implicit.home = &worker;
            worker.leader = workers[0].get();
            worker.team_size = size;
        }
        ~Team() {
            for (auto& member : all)
                member->lane.free_memory();
        }
        unsigned capacity() const { return static_cast<unsigned>(all.size()); }

        // As team_of_size: between regions, while members linger that will have no place.
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
        sched::NodeQueuesOver<Atomics> nodes{ready, two_nodes<Rules>(),
                                             [](const sched::LaneOver<Atomics>&) { return 0u; }, 4};
    };

    // What is around a wait, as task::WaitHost.
    struct Host : explore::WaitAlone<typename Explored::Worker> {
        using Atomics = Explored::Atomics;
        using Worker = Explored::Worker;
        using Task = Explored::Task;
        struct SpinTicks {
            base::Ticks brief = 0, longer = 0; // it sleeps at once
        };

        static void run(Worker& worker, Task& task) {
            Task* const below = worker.task;
            EXPLORE_CHECK(below == nullptr || !below->tied_and_waits || task.descends_from(*below));
            const sched::Mark outer = Scheduler::enter(worker.member->lane);
            worker.task = &task;
            task.home = &worker;
            task.runs = task.runs + 1;
            if (task.body) task.body(worker);
            worker.task = below;
            Scheduler::leave(worker.member->lane, outer);
            if (task.parent != nullptr) end_child(worker, *task.parent);
            else Member::count(worker.member->finished);
        }

        // As task/ends.h.
        static void end_child(Worker& worker, Task& parent) {
            if (parent.home == &worker) {
                parent.children.end_home();
                return Member::count(worker.member->finished);
            }
            if (worker.ends.tasks != 0 && worker.ends.parent != &parent) pass_on_ends(worker);
            worker.ends = {&parent, worker.ends.tasks + 1};
        }
        static bool holds_ends(const Worker& worker) { return Rules::kPassesEndsOn && worker.ends.tasks != 0; }
        static bool ends_alike(const Worker& worker, const Task& task) { return worker.ends.parent == task.parent; }
        static void pass_on_ends(Worker& worker) {
            const Ends ends = worker.ends;
            worker.ends = {};
            Explored::Worker* const home = ends.parent->home;
            if (ends.parent->children.end_away(ends.tasks) == sync::Last::kNotifyHome)
                home->parker.unpark(TEFF_WAKE_EVENT);
            Member::count(worker.member->finished, ends.tasks);
        }

        static base::Ticks ticks() { return 0; }
        static SpinTicks spin_ticks() { return {}; }
    };

    template <class Condition> static void wait_until(Worker& worker, Condition condition) {
        sched::WaitOver<Host>().until(worker, condition);
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
        task.tied_and_waits = true;
        if (!task.children.none_left()) wait_until(worker, ChildrenEnded{task});
        task.tied_and_waits = false;
    }

    static void barrier(Worker& worker, bool cancellable = false) {
        Team& team = *worker.member->team;
        const std::uint32_t phase = team.generation.load(std::memory_order_relaxed);
        if constexpr (Rules::kFanIn == 0)
            wait_if_not_last(worker, BarrierOpen<Atomics, Team>{{team}, phase, cancellable});
        else wait_if_not_last(worker, InGroups{{team, worker.member->number}, phase, cancellable});
    }
    using InGroups = BarrierOpen<Atomics, Team, CombiningWay<Atomics, Team>>;
    template <class Open> static void wait_if_not_last(Worker& worker, Open open) {
        if (!open.arrive()) wait_until(worker, open);
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

    static void join_all(Worker& leader) { wait_until(leader, AllJoined<Team>{*leader.member->team}); }

    // A region of so many members: the leader's part of it.
    template <class Body> static void run_region(Team& team, unsigned size, Body&& body) {
        Worker& leader = team.worker(0);
        team.resize(size);
        team.generation.fetch_add(1, std::memory_order_release); // [phase-1]
        team.has_tasks.store(false, std::memory_order_relaxed);
        team.joined.store(0, std::memory_order_relaxed);
        for (unsigned i = 1; i < size; ++i)
            team.worker(i).inbox.give(*team.members[i], team.worker(i).parker);
        begin_implicit_task(leader, *team.members[0]);
        body(leader);
        join_all(leader);
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
            if (worker.member != nullptr) wait_until(worker, NextLetter{{worker, *worker.member->team}});
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
            join(worker, *worker.member->team);
        }
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
        Task& waiting;
        bool over() const { return waiting.children.none_left(); }
        bool try_arm() { return waiting.children.try_open_to_waiting(); }
        void disarm() { waiting.children.unfold(); }
        void ran_out() {}
        Descendants eligible() const { return {waiting}; }
    };
    struct NextLetter : LetterArrived<Atomics, Worker, Team> {
        using Base = LetterArrived<Atomics, Worker, Team>;
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

using enum std::memory_order;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

void expect_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    std::cout << result.executions << " executions, " << (result.complete ? "complete, " : "") << result.longest
              << " steps at most\n";
}
void expect_complete_pass(const Result& result) {
    expect_pass(result);
    EXPECT_TRUE(result.complete) << result;
}

// Programs that are too large to be tried out here: the first so many executions, in order.
constexpr Options kBegun{.preemptions = 1, .max_executions = 50'000};

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

// ---- A barrier opens when all have arrived and all tasks, and theirs, have been run.

template <class Rules, unsigned kTasks> Result tasks_at_a_barrier(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, kTasks>>(2);
            if constexpr (kTasks > 1)
                run->tasks[0].body = [inner = &run->tasks[1]](auto& worker) { Model::create(worker, *inner); };
            auto first = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::barrier(worker);
                run->expect_all_have_run();
            };
            auto second = [=] {
                Model::barrier(run->enter(1));
                run->expect_all_have_run();
            };
            return Program({first, second}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, ABarrierOpensWhenItsTasksAndTheirsHaveBeenRun) {
    expect_complete_pass(tasks_at_a_barrier<Right, 1>({.preemptions = 1}));
    expect_pass(tasks_at_a_barrier<Right, 2>(kBegun));
}

TEST(ExploredTeam, ACombiningBarrierOpensWhenItsTasksAndTheirsHaveBeenRun) {
    expect_pass(tasks_at_a_barrier<Combines, 1>(kBegun));
    expect_pass(tasks_at_a_barrier<Combines, 2>(kBegun));
}

// ---- Barriers without tasks: who sleeps at one is woken, and the next finds it empty.

template <class Rules> Result barriers(unsigned members, unsigned count, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            struct State : Run<Rules, 0> {
                using Run<Rules, 0>::Run;
                std::array<explore::Var<unsigned>, 3> come;
            };
            auto run = std::make_shared<State>(members);
            std::vector<std::function<void()>> parts;
            for (unsigned number = 0; number < members; ++number)
                parts.push_back([=] {
                    auto& worker = run->enter(number);
                    for (unsigned round = 1; round <= count; ++round) {
                        run->come[number] = round;
                        Model::barrier(worker);
                        EXPLORE_CHECK(run->come[(number + 1) % members] == round);
                        if (round < count) Model::barrier(worker);
                    }
                });
            return Program(std::move(parts), [=] { EXPLORE_CHECK(!run->team.ready.sleepers().any()); });
        },
        options);
}

TEST(ExploredTeam, MembersMeetAtBarriers) {
    expect_complete_pass(barriers<Right>(2, 1, {.preemptions = 3, .early_wakes = 1}));
    expect_complete_pass(barriers<Combines>(2, 1, {.preemptions = 2, .early_wakes = 1}));
    expect_pass(barriers<Right>(2, 2, kBegun));
    expect_pass(barriers<Combines>(2, 2, kBegun));
    expect_pass(barriers<Right>(3, 1, kBegun));
    expect_pass(barriers<CombinesPairs>(3, 1, kBegun));
}

// ---- taskwait

template <class Rules> Result wait_for_a_child(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 2>>(2);
            auto waiter = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::create(worker, run->tasks[1]);
                Model::taskwait(worker);
                run->expect_all_have_run();
                Model::barrier(worker);
            };
            auto thief = [=] { Model::barrier(run->enter(1)); };
            return Program({waiter, thief}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, ATaskwaitEndsWithItsLastChildWhoeverRunsIt) { expect_pass(wait_for_a_child<Right>(kBegun)); }

// ---- A task waits for its child; meanwhile an unrelated task becomes ready on its own thread.

template <class Rules> Result unrelated_task(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 3>>(2);
            auto* child = &run->tasks[1];
            auto* unrelated = &run->tasks[2];
            auto begun = std::make_shared<explore::atomic<int>>(0);
            child->body = [=](auto&) { begun->store(1, release); };
            run->tasks[0].body = [=](auto& worker) {
                Model::create(worker, *child);
                while (begun->load(acquire) == 0) // the other member has it
                    explore::Atomics::cpu_relax();
                Model::make_unrelated_ready(worker, *unrelated);
                Model::taskwait(worker);
                EXPLORE_CHECK(child->runs == 1);
            };
            auto first = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::barrier(worker);
            };
            auto second = [=] { Model::barrier(run->enter(1)); };
            return Program({first, second}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, AWaitingTaskRunsNoUnrelatedOne) { expect_pass(unrelated_task<Right>(kBegun)); }

// ---- Regions: places given, tasks at the join, a second region, members sent away between.

// r: a region of all, in which a member makes a task. e: one without tasks. s: of all but one. a: of the leader alone. In
// these the leader makes a task, which must stay with those in the region, who count it. d: all are
// sent away.
template <class Rules> Result regions(unsigned members, const char* steps, const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [=] {
            auto run = std::make_shared<Run<Rules, 2>>(members);
            const auto create_once = [=](auto& worker, unsigned task) {
                if (run->tasks[task].parent == nullptr) Model::create(worker, run->tasks[task]);
            };
            auto members_part = [=](auto& worker) {
                const bool creates = std::strchr(steps, 'r') != nullptr;
                if (creates && worker.team_size == members && worker.member->number == 1) create_once(worker, 0);
            };
            auto smaller_region = [=](unsigned size) {
                Model::run_region(run->team, size, [=](auto& worker) { create_once(worker, 1); });
                EXPLORE_CHECK(run->tasks[1].runs == 1);
                EXPLORE_CHECK(run->tasks[1].home->member->number < size);
            };
            auto leader = [=] {
                for (const char* step = steps; *step != '\0'; ++step) {
                    if (*step == 'd') {
                        Model::dismiss(run->team);
                    } else if (*step == 'r' || *step == 'e') {
                        Model::run_region(run->team, members, [](auto&) {});
                        EXPLORE_CHECK(run->tasks[0].runs == (*step == 'r' ? 1 : 0));
                    } else {
                        smaller_region(*step == 'a' ? 1 : members - 1);
                    }
                }
                Model::retire(run->team);
            };
            std::vector<std::function<void()>> parts{leader};
            for (unsigned i = 1; i < members; ++i)
                parts.push_back([=] { Model::live(run->team.worker(i), members_part); });
            return Program(std::move(parts), [=] {
                EXPLORE_CHECK(run->team.ready.looks_drained());
                EXPLORE_CHECK(!run->team.ready.sleepers().any());
            });
        },
        options);
}

TEST(ExploredTeam, ARegionEndsWhenItsMembersHaveJoinedAndItsTasksHaveBeenRun) {
    expect_complete_pass(regions<Right>(2, "r", {.preemptions = 1}));
}

TEST(ExploredTeam, TheSameMembersHaveTheNextRegion) {
    expect_complete_pass(regions<Right>(2, "rr", {.preemptions = 1}));
}

TEST(ExploredTeam, MembersAreSentAwayBetweenRegions) {
    expect_complete_pass(regions<Right>(2, "rdr", {.preemptions = 1}));
}

TEST(ExploredTeam, MembersWithoutAPlaceStayAndRunNothing) {
    expect_complete_pass(regions<Right>(2, "ra", {.preemptions = 1}));
    expect_pass(regions<Right>(2, "ra", {.preemptions = 2, .max_executions = 50'000, .early_wakes = 1}));
    expect_pass(regions<Right>(2, "rar", kBegun));
    expect_complete_pass(regions<Right>(2, "rad", {.preemptions = 1}));
    expect_pass(regions<Right>(3, "rsr", kBegun));
}

// ---- The region's cancellation frees who waits at a cancellable barrier.

template <class Rules> Result cancellation(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 0>>(2);
            auto canceller = [=] {
                run->enter(0);
                Model::cancel(run->team);
            };
            auto waiter = [=] { Model::barrier(run->enter(1), true); };
            return Program({canceller, waiter}, [=] { EXPLORE_CHECK(!run->team.ready.sleepers().any()); });
        },
        options);
}

TEST(ExploredTeam, ACancellationReachesWhoWaitsAtABarrier) {
    expect_complete_pass(cancellation<Right>({.preemptions = 4, .early_wakes = 1}));
    expect_complete_pass(cancellation<Combines>({.preemptions = 4, .early_wakes = 1}));
}

// ---- Two tasks of which one ends when the other has been run, and two members that sleep.

template <class Rules> Result long_task(const Options& options) {
    using Model = Explored<Rules>;
    return explore::run(
        [] {
            auto run = std::make_shared<Run<Rules, 2>>(3);
            auto done = std::make_shared<explore::atomic<int>>(0);
            auto await_it = [=] {
                while (done->load(acquire) == 0)
                    explore::Atomics::cpu_relax();
            };
            run->tasks[0].body = [=](auto&) { await_it(); };
            run->tasks[1].body = [=](auto&) { done->store(1, release); };
            auto maker = [=] {
                auto& worker = run->enter(0);
                Model::create(worker, run->tasks[0]);
                Model::create(worker, run->tasks[1]);
                await_it(); // no scheduling point
                Model::barrier(worker);
            };
            auto member = [=](unsigned number) { return [=] { Model::barrier(run->enter(number)); }; };
            return Program({maker, member(1), member(2)}, [=] { run->check_at_end(); });
        },
        options);
}

TEST(ExploredTeam, NoTaskStaysBesideASleepingMember) { expect_pass(long_task<Right>(kBegun)); }

// ---- The same, of tasks whose data lies on a node where nobody is.

struct Deals : Right {
    static constexpr bool kDeals = true;
};

TEST(ExploredTeam, TasksOfANodeWithoutMembersAreRun) {
    expect_complete_pass(tasks_at_a_barrier<Deals, 1>({.preemptions = 1}));
    expect_pass(wait_for_a_child<Deals>(kBegun));
    expect_pass(unrelated_task<Deals>(kBegun));
    expect_pass(long_task<Deals>(kBegun));
}

// ---- Each rule of the model is needed: without it a program fails.

struct AsksForNoDescent : Right {
    static constexpr bool kAsksForDescent = false;
};
struct UnrelatedTasksInTheLane : Right {
    static constexpr bool kUnrelatedGoPastTheLane = false;
};
struct KeepsEndsWhileIdle : Right {
    static constexpr bool kPassesEndsOn = false;
};
struct LooksForNoLeader : Right {
    static constexpr bool kLooksForALeader = false;
};
struct RunsWhatComesNext : Right {
    static constexpr bool kKeepsToItsPhase = false;
};
struct WakesNoSleepers : Right {
    static constexpr bool kWakesSleepers = false;
};
struct OverlooksANode : Deals {
    static constexpr bool kSeesAllNodes = false;
};
// Fences and sequentially consistent stores are what keeps a wake-up from being lost.
struct NoHeavyFence : Right {
    struct Atomics : explore::Atomics {
        static void heavy_fence() {}
    };
};
struct ReleaseStores : Right {
    struct Atomics : explore::Atomics {
        template <class T> struct atomic : explore::atomic<T> {
            using explore::atomic<T>::atomic;
            void store(T value, std::memory_order order) {
                explore::atomic<T>::store(value, order == seq_cst ? release : order);
            }
        };
    };
};

// Between the groups' words and the look for sleepers.
struct CombinesWithoutFence : Combines {
    struct Atomics : explore::Atomics {
        static void fence_seq_cst() {}
    };
};
// A climb hands nothing over.
struct RelaxedClimbs : Combines {
    struct Atomics : explore::Atomics {
        template <class T> struct atomic : explore::atomic<T> {
            using explore::atomic<T>::atomic;
            template <class D> T fetch_add(D by, std::memory_order order) {
                return explore::atomic<T>::fetch_add(by, order == acq_rel ? relaxed : order);
            }
        };
    };
};

constexpr Options kOne{.preemptions = 1};

TEST(ExploredTeam, ACombiningBarrierNeedsItsFence) {
    EXPECT_EQ(barriers<CombinesWithoutFence>(2, 1, kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ACombiningBarrierNeedsItsClimbsToChain) {
    EXPECT_EQ(barriers<RelaxedClimbs>(2, 1, kOne).outcome, Outcome::data_race);
}

TEST(ExploredTeam, WithoutAQuestionForDescentAnUnrelatedTaskIsRun) {
    EXPECT_EQ(unrelated_task<AsksForNoDescent>(kOne).outcome, Outcome::check_failed);
}

TEST(ExploredTeam, AnUnrelatedTaskInTheLaneIsRun) {
    EXPECT_EQ(unrelated_task<UnrelatedTasksInTheLane>(kOne).outcome, Outcome::check_failed);
}

TEST(ExploredTeam, EndsThatAreKeptWhileIdleHang) {
    EXPECT_EQ(wait_for_a_child<KeepsEndsWhileIdle>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ALeaderForWhomNobodyLooksHangs) {
    EXPECT_EQ(regions<LooksForNoLeader>(2, "r", kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, AMemberWithoutAPlaceWouldRunTheTasksOfOthers) {
    EXPECT_EQ(regions<RunsWhatComesNext>(2, "ea", {.preemptions = 2}).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ACancellationThatWakesNobodyHangs) {
    EXPECT_EQ(cancellation<WakesNoSleepers>(kOne).outcome, Outcome::deadlock);
    EXPECT_EQ(cancellation<ReleaseStores>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, ANodeThatNobodyLooksAtKeepsItsTasks) {
    EXPECT_EQ(wait_for_a_child<OverlooksANode>(kOne).outcome, Outcome::deadlock);
}

TEST(ExploredTeam, WithoutTheHeavyFenceATaskStaysBesideASleepingMember) {
    EXPECT_EQ(long_task<NoHeavyFence>(kOne).outcome, Outcome::livelock);
}

} // namespace
} // namespace teff::region
