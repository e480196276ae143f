// SPDX-License-Identifier: Apache-2.0
#include "machine/team.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "explore/wait_alone.h"
#include "machine/near.h"
#include "machine/thesis_queues.h"
#include "machine/walk.h"
#include "region/team_protocol.h"
#include "sched/central_queue.h"
#include "sched/locality.h"
#include "sched/round_robin.h"
#include "sched/wait.h"

namespace teff::machine {

namespace {

using Scheduler = sched::SchedulerOver<Atomics>;
constexpr std::uint32_t kDequeLimit = 1024; // TEFF_DEQUE_LIMIT's default

// A task that runs inside another task takes some hundreds of bytes of its core's stack.
constexpr unsigned kMostNested = 4000;
constexpr std::size_t kStackBytes = std::size_t{4096} * (kMostNested + 64);

struct Team;
struct Host;

// Arrays begin at a cache line, because their address decides which words share a line.
struct FreeAligned {
    void operator()(void* memory) const { ::operator delete(memory, std::align_val_t(base::kCacheLine)); }
};
template <class T> using Array = std::unique_ptr<T[], FreeAligned>;
template <class T> Array<T> make_array(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + base::kCacheLine - 1) / base::kCacheLine * base::kCacheLine;
    T* const made = static_cast<T*>(::operator new(bytes, std::align_val_t(base::kCacheLine)));
    std::uninitialized_default_construct_n(made, count);
    return Array<T>(made);
}

struct alignas(base::kCacheLine) Task : sched::Runnable {
    std::uint32_t number = 0, home = kNoNode;
    std::uint32_t creator = ~0u;    // the core
    atomic<std::uint32_t> unmet{0}; // tasks that come before it, and its creation
    atomic<std::uint32_t> ends{1};  // its body's, and its event
    bool queued = false;            // else it runs inside its creator
};

struct alignas(base::kCacheLine) Member {
    sched::LaneOver<Atomics> lane;
    Team* team = nullptr;
    unsigned number = 0;
    alignas(base::kCacheLine) atomic<std::uint64_t> created{0}, finished{0};

    static void count(atomic<std::uint64_t>& counter) {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release); // as team::Member
    }
};

struct alignas(base::kCacheLine) Worker {
    Member* member = nullptr;
    bool may_spin = true;
    idle::SpinHistory spins;
    unsigned team_size = 2;  // or more: it spins
    std::uint32_t phase = 0; // barriers that it has passed
    unsigned nested = 0;
    sync::ParkerOver<Atomics> parker;
};

// The start of the search for victims, which differs for each member and is determined by the seed.
std::uint32_t victim_seed(std::uint64_t seed, std::uint32_t member) {
    return static_cast<std::uint32_t>((seed * 0x9e3779b97f4a7c15 + member + 1) * 0xbf58476d1ce4e5b9 >> 32);
}

struct Team {
    Team(const Program& program, const Placed& data, const Description& machine, const Trial& trial,
         const Topology& topology, Sink* sink);
    ~Team() {
        for (auto* const lane : lanes)
            lane->free_memory();
    }

    const Program& program;
    const Placed& placed;
    const Description& description;
    Sink* const sink; // null: nobody listens
    Order order;
    std::vector<std::vector<std::uint32_t>> predecessors; // of each task, for the sink
    std::vector<std::uint32_t> cores;                     // of each member
    unsigned size;
    std::unique_ptr<std::unique_ptr<Member>[]> members;
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<sched::LaneOver<Atomics>*> lanes;
    std::unique_ptr<Task[]> tasks;
    std::vector<TaskRun> runs;
    std::uint32_t left;             // tasks that have not ended
    WalkOver<Host>* walk = nullptr; // of a graph
    std::uint64_t moved = 0;
    bool too_deep = false;

    bool orphaned = false;
    alignas(base::kCacheLine) atomic<std::uint32_t> generation{0}, arrived{0};
    atomic<bool> has_tasks{false}, cancelled{false};
    atomic<std::uint64_t> finished_elsewhere{0};
    Array<atomic<std::uint64_t>> sleeper_bits;
    std::unique_ptr<sched::PriorityQueueOver<Atomics>, void (*)(void*)> central_tasks{nullptr, std::free};
    std::optional<sched::CentralQueueOver<Atomics>> central;
    std::optional<ThesisQueues> thesis;
    std::unique_ptr<mem::NearNodes> near;
    Scheduler ready;
    std::optional<sched::NodeQueuesOver<Atomics>> node_queues;
    std::optional<sched::RoundRobinOver<Atomics>> round_robin;

  private:
    void open_deques();
    void choose_locality(const Topology& topology);
    void make_members(std::uint64_t seed);
    void make_tasks();
    void choose(const Trial& trial, const Topology& topology);
};

Team::Team(const Program& program_, const Placed& data, const Description& machine, const Trial& trial,
           const Topology& topology, Sink* listener)
    : program(program_), placed(data), description(machine), sink(listener), order(order_of(program)),
      cores(cores_of(machine)), size(static_cast<unsigned>(cores.size())), runs(program.tasks.size()),
      left(static_cast<std::uint32_t>(program.tasks.size())) {
    if (program.graph) size = std::min(size, program.graph->threads);
    make_tasks();
    make_members(trial.seed);
    const unsigned words = (size + 63) / 64;
    sleeper_bits = make_array<atomic<std::uint64_t>>(words);
    ready.attach(lanes.data(), sleeper_bits.get(), size);
    ready.resize(size);
    choose(trial, topology);
}

void Team::make_members(std::uint64_t seed) {
    members = std::make_unique<std::unique_ptr<Member>[]>(size);
    for (unsigned i = 0; i < size; ++i) {
        members[i] = std::make_unique<Member>();
        workers.push_back(std::make_unique<Worker>());
        Member& member = *members[i];
        member.team = this;
        member.number = member.lane.number = i;
        member.lane.victim_seed = victim_seed(seed, i);
        member.lane.parker.store(&workers[i]->parker, std::memory_order_relaxed);
        workers[i]->member = &member;
        lanes.push_back(&member.lane);
    }
}

void Team::make_tasks() {
    tasks = std::make_unique<Task[]>(program.tasks.size());
    for (std::uint32_t i = 0; i < program.tasks.size(); ++i) {
        tasks[i].number = i;
        tasks[i].unmet.store(order.unmet[i] + 1, std::memory_order_relaxed);
        if (program.graph && program.graph->tasks[i].has_event) tasks[i].ends.store(2, std::memory_order_relaxed);
    }
    if (sink == nullptr) return;
    predecessors.resize(program.tasks.size());
    for (std::uint32_t i = 0; i < program.tasks.size(); ++i)
        for (const std::uint32_t next : order.successors[i])
            predecessors[next].push_back(i);
}

void Team::open_deques() {
    for (unsigned i = 0; i < size; ++i)
        lanes[i]->limit = kDequeLimit;
}

// As in the runtime: with one node, or with more nodes than it supports, the policy is work
// stealing.
void Team::choose_locality(const Topology& topology) {
    near = near_nodes(description, topology);
    if (near == nullptr || near->count < 2) return;
    const auto home_of = homes(program, placed, description, *near);
    for (std::size_t i = 0; i < home_of.size(); ++i)
        tasks[i].priority = sched::way_home(home_of[i]);
    const auto node_of = [](const sched::LaneOver<Atomics>&) { return near_node_of_running_core(); };
    node_queues.emplace(ready, *near, node_of, kDequeLimit);
    ready.choose(&*node_queues);
}

// As in the runtime, the deques are never opened if a policy replaces the default.
void Team::choose(const Trial& trial, const Topology& topology) {
    const auto set_homes = [&](const std::vector<std::uint32_t>& homes) {
        for (std::size_t i = 0; i < homes.size(); ++i)
            tasks[i].home = homes[i];
    };
    const auto queue = [&](Sources sources) {
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t core : cores)
            nodes.push_back(core / description.cores_per_node);
        thesis.emplace(cores, nodes, std::move(sources),
                       [](const sched::Runnable* item) { return static_cast<const Task*>(item)->home; });
        ready.choose(&*thesis);
    };
    switch (trial.schedule) {
    case Schedule::work_stealing:
        return open_deques();
    case Schedule::locality:
        open_deques();
        return choose_locality(topology);
    case Schedule::round_robin:
        open_deques();
        return ready.choose(&round_robin.emplace(ready));
    case Schedule::central:
        central_tasks.reset(sched::PriorityQueueOver<Atomics>::try_make(kDequeLimit));
        central.emplace(central_tasks.get());
        return ready.choose(&*central);
    case Schedule::thesis_nodes:
    case Schedule::thesis_hops:
        set_homes(homes_on_nodes(program, placed, description, topology));
        return queue(sources_on_nodes(description, topology,
                                      trial.schedule == Schedule::thesis_nodes ? Steps::distance : Steps::hops));
    case Schedule::thesis_tiles:
        set_homes(homes_on_tiles(program, placed, description, topology, trial.spreading));
        return queue(sources_on_tiles(description, topology, trial.vicinity));
    }
}

// ---- The steps of a task.

void make_ready(Worker& worker, Task& task);

// Returns how long the task waited for its data.
Time use_data(Team& team, const TaskSpec& task) {
    Simulation& machine = *Simulation::active();
    Time stalled = 0;
    const double arithmetic = task.operations * static_cast<double>(team.description.operation);
    std::size_t chunks = 0;
    for (const Use& use : task.uses)
        chunks += use.mode == Mode::order ? 0 : team.placed.chunks[use.extent].size();
    const Time part = static_cast<Time>(arithmetic / static_cast<double>(chunks == 0 ? 1 : chunks));
    if (chunks == 0) machine.pass(part);
    for (const Use& use : task.uses) {
        if (use.mode == Mode::order) continue;
        const Access access = use.mode == Mode::out || use.mode == Mode::inout ? Access::write : Access::read;
        for (const Chunk& chunk : team.placed.chunks[use.extent]) {
            const Time asked = machine.now();
            machine.fetch(chunk, access);
            stalled += machine.now() - asked;
            machine.pass(part);
        }
    }
    return stalled;
}

void count_off(Worker& worker, Task& task) {
    if (task.unmet.fetch_sub(1, std::memory_order_acq_rel) == 1) make_ready(worker, task);
}

Time run_body(Worker& worker, const Task& task);
void note_end(Worker& worker, const Task& task);

// Called when the task's body has ended, and when its event is fulfilled. The later of the two ends
// the task.
void end_task(Worker& worker, Task& task) {
    Team& team = *worker.member->team;
    if (team.walk && task.ends.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    for (const std::uint32_t next : team.order.successors[task.number])
        count_off(worker, team.tasks[next]);
    note_end(worker, task);
    --team.left;
}

// Reports a wait to the sink, if there is a sink.
void tell_wait(const Worker& worker, EventKind kind, Time begin);
void tell_creation(const Worker& worker, const Task& task, Time begin, bool inside);
void tell_run(const Worker& worker, const Task& task, Time stalled);

void run_task(Worker& worker, Task& task) {
    Simulation& machine = *Simulation::active();
    Team& team = *worker.member->team;
    const sched::Mark outer = Scheduler::enter(worker.member->lane);
    machine.touch(&task, Touch::load);
    team.runs[task.number] = {machine.core(), machine.now(), 0};
    const Time stalled = run_body(worker, task);
    team.runs[task.number].end = machine.now();
    tell_run(worker, task, stalled);
    end_task(worker, task);
    Scheduler::leave(worker.member->lane, outer);
    if (team.left == 0 && team.thesis) team.thesis->rouse_all();
}

void make_ready(Worker& worker, Task& task) {
    Member& member = *worker.member;
    if (member.team->ready.make_ready(member.lane, &task)) return;
    const Time begin = Simulation::active()->now();
    run_task(worker, task);
    tell_wait(worker, EventKind::at_once, begin);
}

void create(Worker& worker, Task& task) {
    Simulation& machine = *Simulation::active();
    const Time begin = machine.now();
    machine.pass(machine.description().creation);
    machine.touch(&task, Touch::store);
    Member::count(worker.member->created);
    tell_creation(worker, task, begin, false);
    task.queued = true;
    task.creator = machine.core();
    count_off(worker, task);
}

// The environment of a wait, like the runtime's Host in task/waiting.h.
struct Host : explore::WaitAlone<Worker> {
    using Atomics = machine::Atomics;
    using Worker = machine::Worker;
    using Task = machine::Task;
    using SpinTicks = idle::SpinTicks;

    static void run(Worker& worker, Task& task) { run_task(worker, task); }
    using Wait = sched::WaitOver<Host>;
    static void create(Worker& worker, std::uint32_t task) {
        Team& team = *worker.member->team;
        if (!team.has_tasks.load(std::memory_order_relaxed))
            team.has_tasks.exchange(true, std::memory_order_seq_cst); // [tasks-1]
        machine::create(worker, team.tasks[task]);
    }
    static void call(Worker& worker, std::uint32_t task) {
        Simulation& machine = *Simulation::active();
        const Time begin = machine.now();
        machine.pass(machine.description().creation);
        tell_creation(worker, worker.member->team->tasks[task], begin, true);
        run_task(worker, worker.member->team->tasks[task]);
    }
    static void end(Worker& worker, std::uint32_t task) { end_task(worker, worker.member->team->tasks[task]); }
    static void barrier(Worker& worker);
    static void waited(Worker& worker, EventKind kind, Time begin);
    static bool nest(Worker& worker, bool in);

    static bool holds_ends(const Worker&) { return false; }
    static bool ends_decide(const Worker&) { return false; }
    static bool ends_alike(const Worker&, const Task&) { return false; }
    static void pass_on_ends(Worker&) {}

    static base::Ticks ticks() { return Simulation::active()->now() / kCycle; }
    static SpinTicks spin_ticks() {
        const base::Ticks spin = Simulation::active()->description().spin / kCycle;
        return {spin, spin};
    }
};

void barrier(Worker& worker) {
    Team& team = *worker.member->team;
    region::BarrierOpen<Atomics, Team> open{{team}, worker.phase++, false};
    const Time begin = Simulation::active()->now();
    if (!open.arrive()) sched::WaitOver<Host>().until(worker, open);
    tell_wait(worker, EventKind::barrier, begin);
}

void Host::barrier(Worker& worker) { machine::barrier(worker); }

void Host::waited(Worker& worker, EventKind kind, Time begin) { tell_wait(worker, kind, begin); }

// Returns false if the stack has no space for a further task. After that the core does nothing
// more.
bool Host::nest(Worker& worker, bool in) {
    worker.nested += in ? 1 : -1u;
    if (worker.nested <= kMostNested) return true;
    worker.member->team->too_deep = true;
    Simulation::active()->sleep(&worker.nested);
    return false;
}

// The current task of the worker.
std::uint32_t current(const Worker& worker) {
    const Team& team = *worker.member->team;
    return team.walk != nullptr ? team.walk->current(worker) : kNoTask;
}

void tell_wait(const Worker& worker, EventKind kind, Time begin) {
    const Team& team = *worker.member->team;
    if (team.sink == nullptr) return;
    team.sink->take({.worker = worker.member->number,
                     .kind = kind,
                     .begin = begin,
                     .end = Simulation::active()->now(),
                     .by = current(worker)});
}

// From here on another core may run the task. The event does not include the time of the queue.
void tell_creation(const Worker& worker, const Task& task, Time begin, bool inside) {
    const Team& team = *worker.member->team;
    if (team.sink == nullptr) return;
    team.sink->take({.worker = worker.member->number,
                     .kind = EventKind::creation,
                     .begin = begin,
                     .end = Simulation::active()->now(),
                     .label = team.program.name,
                     .task = task.number,
                     .inside = inside,
                     .after = team.predecessors[task.number],
                     .by = current(worker)});
}

void tell_run(const Worker& worker, const Task& task, Time stalled) {
    const Team& team = *worker.member->team;
    if (team.sink == nullptr) return;
    const TaskRun& run = team.runs[task.number];
    const NamedValue stall{kMemoryStall, stalled};
    team.sink->take({.worker = worker.member->number,
                     .kind = EventKind::task,
                     .begin = run.begin,
                     .end = run.end,
                     .label = team.program.name,
                     .task = task.number,
                     .values = {&stall, team.walk == nullptr ? 1u : 0u}});
}

// Returns how long the task waited for data.
Time run_body(Worker& worker, const Task& task) {
    Team& team = *worker.member->team;
    if (!team.walk) return use_data(team, team.program.tasks[task.number]);
    team.moved += task.queued && Simulation::active()->core() != task.creator;
    team.walk->run_task(worker, task.number);
    return 0;
}

void note_end(Worker& worker, const Task& task) {
    Team& team = *worker.member->team;
    if (team.walk) team.walk->ended(task.number);
    if (!team.walk || task.queued) Member::count(worker.member->finished);
}

void create_all(Worker& worker) {
    Team& team = *worker.member->team;
    team.has_tasks.exchange(true, std::memory_order_seq_cst); // [tasks-1]
    for (std::uint32_t i = 0; i < team.program.tasks.size(); ++i)
        create(worker, team.tasks[i]);
    if (team.left == 0 && team.thesis) team.thesis->rouse_all(); // there may have been none
}

// The machine with cores that never sleep, as in the thesis.
Description spinning(Description description) {
    description.spin = ~Time{0} / 2;
    return description;
}

// The part of the member with this number.
void run_part(Team& team, unsigned number) {
    Worker& worker = *team.workers[number];
    if (team.walk) return number == 0 ? team.walk->run_program(worker) : team.walk->follow(worker);
    if (number == 0) create_all(worker);
    barrier(worker);
}

} // namespace

std::vector<std::uint32_t> cores_of(const Description& description) {
    std::vector<std::uint32_t> cores;
    for (std::uint32_t core = 0; core < description.cores(); ++core)
        if (std::find(description.spare.begin(), description.spare.end(), core / description.cores_per_node) ==
            description.spare.end())
            cores.push_back(core);
    return cores;
}

std::uint32_t Outcome::tasks_on(std::uint32_t core) const {
    return static_cast<std::uint32_t>(
        std::count_if(runs.begin(), runs.end(), [=](const TaskRun& r) { return r.core == core; }));
}

Outcome run(const Program& program, const Placed& placed, const Description& asked, const Trial& trial, Sink* sink) {
    const bool of_thesis = trial.schedule >= Schedule::thesis_nodes;
    const Description description = of_thesis ? spinning(asked) : asked;
    const Topology topology(description);
    Team team(program, placed, description, trial, topology, sink);
    std::optional<WalkOver<Host>> walk;
    if (program.graph) team.walk = &walk.emplace(*program.graph);
    std::vector<std::function<void()>> parts(description.cores());
    for (unsigned i = 0; i < team.size; ++i)
        parts[team.cores[i]] = [&team, i] { run_part(team, i); };
    Simulation simulation(description, topology, program.graph ? kStackBytes : Simulation::kSmallStack);
    Outcome outcome;
    outcome.complete = simulation.run(parts);
    outcome.lacks_stacks = simulation.lacks_stacks();
    outcome.end = simulation.end();
    outcome.runs = team.runs;
    for (const TaskRun& each : outcome.runs)
        outcome.makespan = std::max(outcome.makespan, each.end);
    if (walk) {
        outcome.makespan = std::max(outcome.makespan, walk->program_end());
        outcome.work = walk->work();
        outcome.creation = walk->creation();
    }
    outcome.moved = team.moved;
    outcome.too_deep = team.too_deep;
    outcome.transfers = simulation.lines().transfers();
    outcome.cache_hits = simulation.memory().hits();
    outcome.cache_misses = simulation.memory().misses();
    return outcome;
}

Outcome run(const Program& program, const Description& description, const Trial& trial, Sink* sink) {
    return run(program, place(program, description, trial.spreading), description, trial, sink);
}

Outcome run(TaskGraph graph, const Description& description, const Trial& trial, Sink* sink) {
    Program program;
    program.tasks.resize(graph.tasks.size());
    program.name = "task"; // a graph has no names
    program.graph = std::move(graph);
    return run(program, Placed(), description, trial, sink);
}

} // namespace teff::machine
