// SPDX-License-Identifier: Apache-2.0
#include "processes/beat.h"
#include "processes/link.h"
#include "processes/locks.h"
#include "processes/memory.h"
#include "processes/report.h"
#include "processes/run.h"
#include "processes/tasks.h"
#include "processes/team.h"

namespace teff::processes {

namespace {

constinit Team initial_team;
constinit Team* team = &initial_team;

// The records of a region whose body the program's code runs between two calls.
struct Begun {
    Team team;
    Task* implicit;
};
constexpr unsigned kMostBegun = 64;
constinit Begun begun[kMostBegun] = {};
constinit unsigned begun_count = 0;

void enter(Team& inner, unsigned size, unsigned number, const icv::TaskIcvs& icvs, Task*& implicit) {
    inner = {.outer = team,
             .size = size,
             .number = number,
             .level = team->level + 1,
             .active_level = team->active_level + (size > 1 ? 1 : 0)};
    team = &inner;
    implicit = tasks::begin_implicit(icvs);
}

void leave(Task* implicit) {
    tasks::end_implicit(implicit);
    team = team->outer;
}

Request request(Op op) {
    Request made = {};
    made.op = op;
    return made;
}

void tell_workers(region::Body body, void* data, unsigned size, const loops::Loop* loop) {
    run::start_workers();
    locks::hand_over();
    Request begin = request(Op::region);
    begin.a = reinterpret_cast<std::uint64_t>(body);
    begin.b = reinterpret_cast<std::uint64_t>(data);
    begin.c = size;
    const Settings settings = {icv::inner(tasks::icvs()), team->level + 1,
                               loop != nullptr,           loop != nullptr ? *loop : loops::Loop{},
                               league::team_number,       league::team_count};
    link::tell(begin, link::Sync::memory, {&settings, sizeof settings});
    beat::start();
}

void meet(Op op) {
    tasks::run_all();
    tasks::serve_until_answered(request(op));
}

// The main loop of a worker. For each region the worker's stack begins at the top again.
void work() {
    beat::start();
    Answer order = tasks::serve_until_answered(request(Op::hello));
    for (;;) {
        if (order.what != What::start) fail("an answer that makes no sense");
        const Settings settings = link::settings();
        initial_team.level = settings.level - 1;
        league::team_number = settings.team_number;
        league::team_count = settings.team_count;
        Team inner;
        Task* implicit;
        enter(inner, static_cast<unsigned>(order.c), static_cast<unsigned>(order.d), settings.icvs, implicit);
        if (settings.has_loop) loops::meet(settings.loop);
        reinterpret_cast<region::Body>(order.a)(reinterpret_cast<void*>(order.b));
        tasks::run_all();
        tasks::forget_implicit(implicit);
        order = tasks::serve_until_answered(request(Op::join));
        leave(implicit);
    }
}

[[gnu::constructor]] void know_workers() { run::set_worker(work); }

} // namespace

Team& current_team() { return *team; }

Team* team_at(int level) {
    Team* one = team;
    if (level < 0 || static_cast<unsigned>(level) > one->level) return nullptr;
    while (one->level > static_cast<unsigned>(level) && one->outer != nullptr)
        one = one->outer;
    return one;
}

void region::go_on_alone() {
    for (Team* one = team; one != nullptr; one = one->outer) {
        one->size = 1;
        one->number = 0;
    }
}

unsigned region::members_here() {
    for (const Team* one = team; one != nullptr; one = one->outer)
        if (one->size > 1) return one->size;
    return 1;
}

bool region::has_others() { return link::is_connected() && members_here() > 1; }
bool region::is_among_others(const void* object) { return has_others() && memory::is_shared(object); }

// Only the first process can begin a region with other processes, and only while it is alone.
unsigned region::size_of(unsigned threads_asked) {
    const icv::TaskIcvs& icvs = tasks::icvs();
    const unsigned asked = threads_asked != 0 ? threads_asked : icvs.nthreads;
    if (team->active_level != 0 || link::rank() != 0 || icvs.max_active_levels == 0) return 1;
    unsigned most = run::number_of_processes();
    if (icvs.thread_limit < most) most = icvs.thread_limit;
    return asked < most ? asked : most;
}

void region::begin(Body body, void* data, unsigned threads_asked, const loops::Loop* loop) {
    if (begun_count == kMostBegun) fail("more than %u nested regions", kMostBegun);
    const unsigned size = size_of(threads_asked);
    if (size > 1) tell_workers(body, data, size, loop);
    Begun& one = begun[begun_count++];
    enter(one.team, size, 0, icv::inner(tasks::icvs()), one.implicit);
    if (loop != nullptr) loops::meet(*loop);
}

void region::end() {
    Begun& one = begun[begun_count - 1];
    tasks::run_all(); // which may begin and end further regions
    if (one.team.is_shared()) {
        tasks::forget_implicit(one.implicit);
        tasks::serve_until_answered(request(Op::join));
        beat::stop();
    }
    --begun_count;
    leave(one.implicit);
}

void region::run(Body body, void* data, unsigned threads_asked, const loops::Loop* loop) {
    begin(body, data, threads_asked, loop);
    body(data);
    end();
}

void region::barrier() {
    if (team->is_shared()) meet(Op::barrier);
    else tasks::run_all();
}

} // namespace teff::processes
