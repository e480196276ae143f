// SPDX-License-Identifier: Apache-2.0
//
// The one drain loop: how a worker waits, whatever it waits for.
//
// While the wait is not over, the worker runs tasks that it may run (eligible.h); when it finds none it spins for a moment (in
// a crowded process it yields some times instead, sync/yield.h), and then
// sleeps until the awaited event or new work wakes it. Barrier, join, taskwait, taskgroup, dependences, detached
// events and the pool's idle workers all come here with an Until:
//
//     bool over()          is the wait over? Called often.
//     bool try_arm()       asks whoever ends the wait to unpark this worker; false: it is over already
//     void disarm()        takes that back, if it still stands
//     void ran_out()       the worker has run tasks in this wait, and finds none any more
//     Eligible eligible()  which tasks may run meanwhile
//
// Falling asleep, in this order: enter the sleepers; arm; heavy fence; look for tasks once more ([sleep-1]); park. Waking: disarm,
// leave the sleepers, look again. A member that another woke for work counts as searching until it finds some or gives up; the
// last searcher passes the duty on ([sleep-2]).
//
// A worker that waits in a tied task may be woken for work that it may not run. After such a futile look it sleeps for a while
// without being among the sleepers, longer each time (kFirstNap_ns doubling to kLongestNap_ns), so that makers of work do not wake it in vain over and over.
#pragma once

#include "task/eligible.h"
#include "task/run.h"

namespace teff::task {

// Which task to run next while waiting; null if there is none that may run.
template <class Until>
inline Task* next_task(team::Worker& worker, Until& until, sched::Look look = sched::Look::kBrief) {
    team::Member& member = *worker.member;
    team::Team& team = *member.team;
    const Eligible eligible = until.eligible();
    if (sched::Runnable* own = team.ready.take_own(member.lane, eligible)) return static_cast<Task*>(own);
    if (!team.has_tasks.load(std::memory_order_relaxed)) return nullptr;
    return static_cast<Task*>(team.ready.take_any(member.lane, eligible, look));
}

// How a worker passes the time when there is nothing to run. One per wait.
class Idler {
  public:
    explicit Idler(team::Worker& worker) : worker_(worker) {}
    ~Idler() { stop_searching(); }
    Idler(const Idler&) = delete;
    Idler& operator=(const Idler&) = delete;

    void found_work() {
        worked_ = true;
        stop_searching();
    }

    // After a look at an orphaned team (region/after_fork.h): nobody is left who could end the wait, or make work.
    bool waits_in_vain() const { return vain_; }

    // Lets some time pass, by a pause or by a sleep. Returns a task if the last look before sleeping found one.
    template <class Until> Task* pass_time(Until& until) {
        if (worked_) {
            begin_idling();
            until.ran_out();
        }
        if (keep_spinning()) {
            base::arch::cpu_relax();
            return nullptr;
        }
        Task* task = sleep(until);
        note_sleep_over();
        return task;
    }

  private:
    static constexpr std::uint64_t kFirstNap_ns = 20'000, kLongestNap_ns = 10'000'000;
    // Enough for every teammate on this processor to have had its turn a few times; some microseconds if nobody else is there.
    static constexpr unsigned kMostYields = 8;
    // While spinning: about 2 and 5 microseconds.
    static constexpr base::Ticks kFirstYield = 5'000, kYieldEvery = 12'500;

    void begin_idling() {
        worked_ = false;
        spin_until_ = 0;
        nap_ns_ = 0;
        yields_ = 0;
    }
    bool keep_spinning();
    bool keep_yielding();
    void note_sleep_over();
    void park(bool nap);
    void stop_searching_slow();
    void stop_searching() {
        if (TEFF_UNLIKELY(searching_)) stop_searching_slow();
    }

    template <class Until> TEFF_COLD Task* sleep(Until& until) {
        team::Team& team = *worker_.member->team;
        if (TEFF_UNLIKELY(team.orphaned)) {
            vain_ = true;
            return nullptr;
        }
        sched::Sleepers& sleepers = team.ready.sleepers();
        const unsigned me = worker_.member->number;
        const bool nap = searching_ && until.eligible().constrained(); // woken for work, found none that it may run
        stop_searching();
        if (!nap) sleepers.enter(me);
        Task* task = nullptr;
        if (until.try_arm()) {
            if (team.has_tasks.load(std::memory_order_seq_cst)) {
                sleepers.fence_before_last_look(); // [sleep-1]
                task = next_task(worker_, until, sched::Look::kThorough);
            }
            if (task == nullptr && !until.over()) park(nap);
            until.disarm();
        }
        if (!nap) searching_ = !sleepers.leave(me);
        return task;
    }

    team::Worker& worker_;
    base::Ticks spin_began_ = 0;
    base::Ticks next_yield_ = 0;
    base::Ticks spin_until_ = 0; // 0: not spinning yet
    std::uint64_t nap_ns_ = 0;
    unsigned yields_ = 0; // of this look for work
    bool worked_ = false; // since it last ran out
    bool searching_ = false;
    bool vain_ = false;
};

// The worker holds ends of tasks (ends.h): the next task, if the wait is to go on with one of the same parent and group. Else passes them on.
template <class Until> TEFF_COLD Task* next_with_same_end(team::Worker& worker, Until& until) {
    Task* const next = until.over() ? nullptr : next_task(worker, until);
    if (next == nullptr || !ends_alike(worker, *next)) pass_on_ends(worker);
    return next;
}

template <class Until> inline void drain(team::Worker& worker, Until until) {
    Idler idler(worker);
    while (!until.over()) {
        Task* task = next_task(worker, until);
        if (task == nullptr) task = idler.pass_time(until);
        if (task == nullptr) {
            if (TEFF_UNLIKELY(idler.waits_in_vain())) return;
            continue;
        }
        idler.found_work();
        do {
            run(worker, *task);
            task = TEFF_UNLIKELY(worker.ends.tasks != 0) ? next_with_same_end(worker, until) : nullptr;
        } while (TEFF_UNLIKELY(task != nullptr));
    }
}

} // namespace teff::task
