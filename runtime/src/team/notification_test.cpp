// SPDX-License-Identifier: Apache-2.0
//
// Tests Notification together with ReadyContexts and the Parker: the contexts of one worker, and
// other threads that notify the contexts. task/explored_suspension_test.cpp tests them together
// with waits.
#include "team/notification.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <type_traits>

#include "explore/explore.h"
#include "explore/mutants.h"
#include "sync/parker.h"
#include "team/ready_contexts.h"

namespace teff::team {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

// expect, set_aside and resume use a plain store instead of an exchange. The store may stay in the
// store buffer while the owner checks its condition.
struct BufferedExchange : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) {
            const T before = this->load(acquire);
            this->store(value, relaxed);
            return before;
        }
    };
};

// A notification that finds another notification does not write the word.
struct SilentSecond : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
            if (desired == expected) return true;
            return explore::atomic<T>::compare_exchange_weak(expected, desired, success, failure);
        }
    };
};

// A notification is a load and a store.
using TornNotify = explore::TornWeakExchange;

// try_suspend is a load and a store.
using TornSuspend = explore::TornStrongExchange;

// The owner's changes are relaxed.
struct RelaxedOwner : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) { return explore::atomic<T>::exchange(value, relaxed); }
        bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
            return explore::atomic<T>::compare_exchange_strong(expected, desired, relaxed, relaxed);
        }
    };
};

// The notifier's changes are relaxed.
using RelaxedNotify = explore::RelaxedWeakExchange;

// The data for notifiers are written only after the context was suspended.
struct LateMember : explore::Atomics {};

// The model around the notification, which is not weakened along with it.
template <class Atomics> struct Shared {
    static constexpr bool kMemberFirst = !std::is_same_v<Atomics, LateMember>;

    struct Context {
        NotificationOver<Atomics> notification;
        PlaceInLine<Context> line;
        std::int32_t priority = 0;

        explore::atomic<int> events{0};
        explore::Var<int> member{0}; // data that a notifier reads from a context that it has made ready
        int awaited = 1;             // number of events, one after the other
        int begun = 0;               // number of waits that have begun
        bool left = false;
    };

    std::array<Context, 2> contexts;
    ReadyContextsOver<explore::Atomics, Context> ready;
    sync::ParkerOver<explore::Atomics> parker;

    // As Context::notify.
    void notify(Context& context) {
        if (context.notification.notify()) {
            EXPLORE_CHECK(context.member == 1);
            ready.arrive(context);
        }
        parker.unpark(TEFF_WAKE_EVENT);
    }
    void bring_about(Context& context, int event = 1) {
        context.events.store(event, relaxed);
        notify(context);
    }

    // Runs the task on this context until it has left its stack or has ended, as
    // task::leave_until_notified does.
    void go_on(Context& context) {
        while (context.begun < context.awaited) {
            context.notification.expect();
            if (context.events.load(relaxed) > context.begun) {
                ++context.begun;
                continue;
            }
            if (kMemberFirst) context.member = 1;
            if (!context.notification.try_suspend()) continue;
            if (!kMemberFirst) context.member = 1;
            context.left = true;
            return;
        }
    }
    bool ended(const Context& context) const { return context.begun == context.awaited; }

    // Called when the worker has no other work.
    void resume_next() {
        Context* const next = ready.take();
        if (next == nullptr) return void(parker.park());
        EXPLORE_CHECK(next->left);
        next->left = false;
        next->notification.resume();
        go_on(*next);
    }

    void resume_until_ended(const Context& context) {
        while (!ended(context))
            resume_next();
    }

    void check_at_end() { EXPLORE_CHECK(ready.take() == nullptr); }
};

void expect_complete_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

// One task, and the event for which it waits.
template <class Atomics> Result one_wait(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto owner = [=] {
                shared->go_on(shared->contexts[0]);
                shared->resume_until_ended(shared->contexts[0]);
            };
            auto notifier = [=] { shared->bring_about(shared->contexts[0]); };
            return Program({owner, notifier}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(Notification, ASuspendedTaskGoesOn) {
    const Result result = one_wait<explore::Atomics>({.preemptions = explore::unbounded, .early_wakes = 1});
    expect_complete_pass(result);
    EXPECT_TRUE(result.exhaustive);
}

// As one_wait, with another notification that has no reason or belongs to an earlier wait.
template <class Atomics> Result wait_with_a_stray_notification(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto owner = [=] {
                shared->go_on(shared->contexts[0]);
                shared->resume_until_ended(shared->contexts[0]);
            };
            auto notifier = [=] { shared->bring_about(shared->contexts[0]); };
            auto stray = [=] { shared->notify(shared->contexts[0]); };
            return Program({owner, notifier, stray}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(Notification, OneThatIsForNothingDoesNoHarm) {
    expect_complete_pass(wait_with_a_stray_notification<explore::Atomics>({}));
}

// A task waits twice. Each notification is given twice, so that the second may reach the next wait,
// or come after the last wait.
template <class Atomics> Result two_waits(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            shared->contexts[0].awaited = 2;
            auto owner = [=] {
                shared->go_on(shared->contexts[0]);
                shared->resume_until_ended(shared->contexts[0]);
            };
            auto notifier = [=] {
                for (int event = 1; event <= 2; ++event) {
                    shared->bring_about(shared->contexts[0], event);
                    shared->notify(shared->contexts[0]);
                }
            };
            return Program({owner, notifier}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(Notification, LateAndDoubleOnesDoNoHarm) { expect_complete_pass(two_waits<explore::Atomics>({.early_wakes = 1})); }

// Two contexts of one worker. Each is notified by its own thread and by the other context's thread.
template <class Atomics> Result two_contexts(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto owner = [=] {
                for (auto& context : shared->contexts)
                    shared->go_on(context);
                while (!shared->ended(shared->contexts[0]) || !shared->ended(shared->contexts[1]))
                    shared->resume_next();
            };
            auto notifier = [=](std::size_t mine) {
                return [=] {
                    shared->bring_about(shared->contexts[mine]);
                    shared->notify(shared->contexts[1 - mine]);
                };
            };
            return Program({owner, notifier(0), notifier(1)}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(Notification, NobodyIsLostAndNobodyIsReadyTwice) {
    expect_complete_pass(two_contexts<explore::Atomics>({.preemptions = 2}));
}

// A task leaves its stack, and its worker resumes it without waiting for the event: the worker
// makes the context ready itself, unless a notification comes first.
template <class Atomics> Result call_back(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto owner = [=] {
                auto& context = shared->contexts[0];
                shared->go_on(context);
                if (context.left && context.notification.set_aside()) shared->ready.put_at_end(context);
                shared->resume_until_ended(context);
            };
            auto notifier = [=] {
                shared->bring_about(shared->contexts[0]);
                shared->notify(shared->contexts[0]);
            };
            return Program({owner, notifier}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(Notification, ATaskThatIsCalledBackIsReadyOnce) {
    expect_complete_pass(call_back<explore::Atomics>({.preemptions = 4}));
}

// A task gives way, as in taskyield, and later waits.
template <class Atomics> Result give_way(const Options& options) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto owner = [=] {
                auto& context = shared->contexts[0];
                EXPLORE_CHECK(context.notification.set_aside());
                context.left = true;
                shared->ready.put_at_end(context);
                shared->resume_until_ended(context);
            };
            auto notifier = [=] { shared->bring_about(shared->contexts[0]); };
            auto stray = [=] { shared->notify(shared->contexts[0]); };
            return Program({owner, notifier, stray}, [=] { shared->check_at_end(); });
        },
        options);
}

TEST(Notification, ATaskThatGivesWayGoesOnAndCanWait) { expect_complete_pass(give_way<explore::Atomics>({})); }

TEST(Notification, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(one_wait<BufferedExchange>({}).outcome, Outcome::deadlock);
    EXPECT_EQ(wait_with_a_stray_notification<SilentSecond>({}).outcome, Outcome::deadlock);
    EXPECT_EQ(one_wait<TornNotify>({}).outcome, Outcome::deadlock);
    EXPECT_EQ(one_wait<TornSuspend>({}).outcome, Outcome::deadlock);
    EXPECT_NE(call_back<BufferedExchange>({}).outcome, Outcome::passed);
}

// The notifier sees the owner's writes from before the suspension: Context::member.
TEST(Notification, WhoMakesAContextReadyKnowsIt) {
    EXPECT_EQ(one_wait<RelaxedOwner>({}).outcome, Outcome::data_race);
    EXPECT_EQ(one_wait<RelaxedNotify>({}).outcome, Outcome::data_race);
    EXPECT_EQ(one_wait<LateMember>({}).outcome, Outcome::data_race);
}

// If a step of the owner follows a notification, by whatever way it knows this, the owner sees the
// notifier's earlier writes.
template <class Atomics, class Step> Result see_what_came_before(Step step) {
    return explore::run(
        [=] {
            struct Seen {
                NotificationOver<Atomics> notification;
                explore::Var<int> message;
                explore::atomic<bool> given{false};
            };
            auto shared = std::make_shared<Seen>();
            auto owner = [=] {
                const bool follows = shared->given.load(relaxed);
                const bool knows = step(shared->notification);
                if (follows || knows) EXPLORE_CHECK(shared->message == 7);
            };
            auto notifier = [=] {
                shared->message = 7;
                (void)shared->notification.notify();
                shared->given.store(true, relaxed);
            };
            return Program({owner, notifier});
        },
        {.preemptions = explore::unbounded});
}

template <class Step> void expect_acquire(Step step) {
    const Result result = see_what_came_before<explore::Atomics>(step);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive);
    EXPECT_EQ(see_what_came_before<RelaxedOwner>(step).outcome, Outcome::data_race);
    EXPECT_EQ(see_what_came_before<RelaxedNotify>(step).outcome, Outcome::data_race);
}

TEST(Notification, TheOwnerSeesWhatCameBeforeIt) {
    expect_acquire([](auto& notification) {
        notification.expect();
        return false;
    });
    expect_acquire([](auto& notification) {
        notification.resume();
        return false;
    });
    expect_acquire([](auto& notification) { return !notification.set_aside(); });
    expect_acquire([](auto& notification) { return !notification.try_suspend(); });
}

TEST(Notification, ItsStatesFollowEachOther) {
    Notification notification;
    notification.expect();
    EXPECT_FALSE(notification.notify()) << "its task runs";
    EXPECT_FALSE(notification.notify());
    EXPECT_FALSE(notification.try_suspend());
    notification.expect();
    EXPECT_TRUE(notification.try_suspend());
    EXPECT_TRUE(notification.notify());
    EXPECT_FALSE(notification.notify()) << "it is ready";
    EXPECT_FALSE(notification.set_aside());
    notification.resume();
    EXPECT_TRUE(notification.set_aside());
    EXPECT_FALSE(notification.notify());
    notification.resume();
    notification.expect();
    EXPECT_TRUE(notification.try_suspend());
    EXPECT_TRUE(notification.set_aside());
    EXPECT_FALSE(notification.notify());
}

} // namespace
} // namespace teff::team
