// SPDX-License-Identifier: Apache-2.0
#include "task/lock_wait.h"

#include "task/blocked_wait.h"
#include "task/conditions.h"

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

    team::Worker& worker_; // a context never changes its worker
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

// A task whose thread waits with it, as long as no task is suspended on the thread. The waiter is
// not queued while others continue.
class BlockedWaiter : public sync::InPlaceWaiter {
  public:
    explicit BlockedWaiter(team::Worker& worker, const BlockedWait& wait)
        : sync::InPlaceWaiter(worker.task->priority), wait_(wait) {}

    [[nodiscard]] sync::LockWait wait() {
        while (state() == sync::LockWait::kWaiting) {
            if (wait_.has_others() && sync::lock_waiters.withdraw(*this)) {
                wait_.let_others_continue();
                return sync::LockWait::kWoken;
            }
            base::RealAtomics::wait_for(state_, static_cast<std::uint32_t>(sync::LockWait::kWaiting),
                                        wait_.look_again_ns());
        }
        return state();
    }

  private:
    BlockedWait wait_;
};

sync::LockWait TaskWaiter::wait() {
    wait_until(worker_, LockGivenBack{worker_, *this});
    return state();
}

} // namespace

void wait_for_lock(team::Worker& worker, sync::ProgramLock& lock) {
    if (!waits_in_place(worker)) {
        TaskWaiter waiter(worker);
        return lock.wait_as(waiter);
    }
    const BlockedWait wait(worker);
    if (!wait.may_leave()) return lock.wait(worker.task->priority);
    BlockedWaiter waiter(worker, wait);
    lock.wait_as(waiter);
}

} // namespace teff::task
