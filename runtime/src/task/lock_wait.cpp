// SPDX-License-Identifier: Apache-2.0
#include "task/lock_wait.h"

#include "task/conditions.h"
#include "task/preemption.h"

namespace teff::task {

namespace {

using Waiter = sync::LockWaiterOver<base::RealAtomics>;

// A task that waits for a lock. The waiter is prompt while its worker sleeps in this wait.
class TaskWaiter : public Waiter {
  public:
    explicit TaskWaiter(team::Worker& worker)
        : Waiter(worker.task->priority, false, tell), worker_(worker), context_(*worker.context) {}

    [[nodiscard]] sync::LockWait wait();

  private:
    static void tell(Waiter& waiter, sync::LockWait outcome) {
        team::Context& context = static_cast<TaskWaiter&>(waiter).context_;
        waiter.settle(outcome);
        context.notify();
    }

    team::Worker& worker_; // a task that waits for a lock does not move
    team::Context& context_;
};

// The condition that the lock may be free, or has been handed over. No task runs on top of this
// wait, because it would keep the lock from the task below, perhaps for long. The thread that has
// taken the waiter from the queue notifies it.
struct LockGivenBack {
    static constexpr WaitKind kKind = WaitKind::kForLock;

    team::Worker& worker;
    TaskWaiter& waiter;

    bool over() const { return waiter.state() != sync::LockWait::kWaiting; }
    bool try_arm() const {
        (void)sync::lock_waiters.set_prompt(waiter, true);
        return true;
    }
    void disarm() const { (void)sync::lock_waiters.set_prompt(waiter, false); }
    static void ran_out() {}
    MayStart eligible() const { return MayStart(worker); }

    static void go_to_other(LockGivenBack& condition, const Other& other);
};

// The same condition while the worker is elsewhere.
struct LeftToOthers {
    TaskWaiter& waiter;
    bool try_arm() const { return sync::lock_waiters.set_prompt(waiter, false); }
    static void disarm() {}
};

void LockGivenBack::go_to_other(LockGivenBack& condition, const Other& other) {
    LeftToOthers left{condition.waiter};
    leave_until_notified(condition.worker, left, other);
}

sync::LockWait TaskWaiter::wait() {
    wait_until(worker_, LockGivenBack{worker_, *this});
    return state();
}

} // namespace

void wait_for_lock(team::Worker& worker, sync::ProgramLock& lock) {
    if (waits_in_place(worker)) return lock.wait(worker.task->priority);
    TaskWaiter waiter(worker);
    lock.wait_as(waiter);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::goes_on(worker);
    if (TEFF_UNLIKELY(preempt::is_on())) look_after_release(worker);
}

} // namespace teff::task
