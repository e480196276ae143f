// SPDX-License-Identifier: Apache-2.0
// Tests what Teff does when preemptible code calls interposed functions: holds, sleeps and signals.
#include "preempt/interpose.h"

#include <cerrno>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "preempt/interpose_signals.h"
#include "preempt/preempted_program.h"

namespace teff::preempt {
namespace {

class Interposition : public PreemptedProgram {};

// In a library of each kind.
class Slots : public PreemptedProgram, public testing::WithParamInterface<const char*> {};

struct Bracket {
    const char* name;
    void (*Preempted::*function)(Callback, void*);
};
constexpr Bracket kBrackets[] = {
    {"pthread_mutex", &Preempted::in_mutex},
    {"pthread_mutex_trylock", &Preempted::in_try_mutex},
    {"read lock", &Preempted::in_read_lock},
    {"write lock", &Preempted::in_write_lock},
    {"pthread_spin", &Preempted::in_spin_lock},
    {"mtx", &Preempted::in_c11_mutex},
    {"flockfile", &Preempted::in_file_lock},
    {"pthread_cond", &Preempted::in_condition},
    {"pthread_once", &Preempted::in_once},
    {"call_once", &Preempted::in_c11_once},
    {"dl_iterate_phdr", &Preempted::in_program_headers},
    {"static", &Preempted::in_static},
};

TEST_P(Slots, HoldsWhileALockIsHeldOrTheLibraryCallsBack) {
    const Preempted& object = functions_of(load(GetParam()));
    for (const Bracket& bracket : kBrackets) {
        std::uint32_t inside = 0;
        (object.*bracket.function)([](void* seen) { *static_cast<std::uint32_t*>(seen) = held(); }, &inside);
        EXPECT_EQ(inside, 1u) << bracket.name;
        EXPECT_EQ(held(), 0u) << bracket.name;
    }
}

TEST_P(Slots, DoesNotCountWhatFails) {
    functions_of(load(GetParam())).fail_at_locks();
    EXPECT_EQ(held(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Preempted, Slots, testing::Values("lazy", "now", "no_plt"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_F(Interposition, ALibraryThatIsNotPreemptibleKeepsItsFunctions) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    EXPECT_EQ(held(), 0u);
    pthread_mutex_unlock(&mutex);
}

TEST_F(Interposition, AReleaseOfWhatWasNotCountedIsNoHold) {
    release(nullptr);
    EXPECT_EQ(held(), 0u);
    hold();
    EXPECT_EQ(exchange_held(0), 1u);
    EXPECT_EQ(exchange_held(1), 0u);
    release(nullptr);
    EXPECT_EQ(held(), 0u);
}

TEST_F(Interposition, SleepsLastTheirFullTime) {
    constexpr long kNs = 20'000'000;
    const Asker asker(target);
    for (int i = 0; i < 8; ++i) {
        const std::uint64_t before = base::monotonic_ns();
        EXPECT_EQ(program.sleeps[i](kNs), 0) << program.sleep_names[i] << ": " << std::strerror(errno);
        EXPECT_GE(base::monotonic_ns() - before, std::uint64_t{kNs}) << program.sleep_names[i];
    }
}

TEST_F(Interposition, WhatWasAskedOfASleeperIsServedAtItsEnd) {
    std::atomic<bool> told{false};
    std::thread asker([&] {
        while (request(target, 2) != Asked::asleep)
            std::this_thread::yield();
        told.store(true);
    });
    // Each sleep ends with a look, so the last one has been asked.
    while (!told.load())
        EXPECT_EQ(program.sleeps[0](1'000'000), 0);
    asker.join();
    EXPECT_GT(served(), 0u);
    EXPECT_EQ(target.word.asked(), 0u);
}

// The program's handlers.
volatile sig_atomic_t handled = 0;
volatile sig_atomic_t own_was_blocked = 0;
void handle(int) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    own_was_blocked = sigismember(&mask, own_signal());
    handled = handled + 1;
}
void handle_info(int, siginfo_t* info, void*) { handled = handled + info->si_value.sival_int; }

TEST_F(Interposition, TheProgramsHandlerForOurSignalIsKeptAndCalled) {
    handled = 0;
    EXPECT_EQ(program.set_handler(own_signal(), handle), SIG_DFL);
    raise(own_signal());
    EXPECT_EQ(handled, 1);
    struct sigaction wanted{}, before{};
    wanted.sa_sigaction = handle_info;
    wanted.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
    EXPECT_EQ(program.set_action(own_signal(), &wanted, &before), 0);
    EXPECT_EQ(before.sa_handler, handle);
    union sigval value{};
    value.sival_int = 10;
    pthread_sigqueue(pthread_self(), own_signal(), value);
    EXPECT_EQ(handled, 11);
    EXPECT_EQ(program.set_action(own_signal(), nullptr, &before), 0);
    EXPECT_EQ(before.sa_handler, SIG_DFL) << "it was for one signal";
    raise(own_signal()); // ignored, by default
    EXPECT_EQ(handled, 11);
}

TEST_F(Interposition, OursAreNotTheProgramsToHandle) {
    handled = 0;
    program.set_handler(own_signal(), handle);
    std::thread asker([&] {
        while (served() < 100)
            (void)request(target, 1);
    });
    volatile std::uint64_t count = 0;
    volatile int stop = 0;
    play.switch_away = [&] { stop = served() >= 100; };
    program.spin(&stop, &count);
    asker.join();
    EXPECT_EQ(handled, 0);
    program.set_handler(own_signal(), SIG_DFL);
}

TEST_F(Interposition, OurSignalWaitsWhileAHandlerOfTheProgramRuns) {
    handled = 0;
    own_was_blocked = 0;
    struct sigaction wanted{}, before{};
    wanted.sa_handler = handle;
    EXPECT_EQ(program.set_action(SIGUSR1, &wanted, nullptr), 0);
    raise(SIGUSR1);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(own_was_blocked, 1);
    EXPECT_EQ(program.set_action(SIGUSR1, nullptr, &before), 0);
    EXPECT_EQ(sigismember(&before.sa_mask, own_signal()), 0) << "the program has not asked for that";
    sigaddset(&wanted.sa_mask, own_signal());
    EXPECT_EQ(program.set_action(SIGUSR1, &wanted, nullptr), 0);
    EXPECT_EQ(program.set_action(SIGUSR1, nullptr, &before), 0);
    EXPECT_EQ(sigismember(&before.sa_mask, own_signal()), 1);
    program.set_handler(SIGUSR1, SIG_DFL);
}

TEST_F(Interposition, OurSignalIsInNoMaskOfTheProgram) {
    sigset_t all, before, now;
    sigfillset(&all);
    EXPECT_EQ(program.set_mask(SIG_SETMASK, &all, &before), 0);
    EXPECT_EQ(program.set_mask(SIG_BLOCK, &all, &now), 0);
    EXPECT_EQ(sigismember(&now, own_signal()), 0);
    EXPECT_EQ(sigismember(&now, SIGUSR1), 1);
    EXPECT_EQ(program.set_mask(SIG_SETMASK, &before, nullptr), 0);
}

TEST_F(Interposition, AForkedChildHasNoPreemption) {
    handled = 0;
    program.set_handler(own_signal(), handle);
    pthread_atfork(nullptr, nullptr, forget_in_child);
    const pid_t child = program.make_child();
    if (child == 0) {
        raise(own_signal());
        std::uint32_t inside = 1;
        program.in_mutex([](void* seen) { *static_cast<std::uint32_t*>(seen) = held(); }, &inside);
        _exit(!is_on() && handled == 1 && request(target, 1) == Asked::gone ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(is_on());
    EXPECT_EQ(held(), 0u);
    program.set_handler(own_signal(), SIG_DFL);
}

} // namespace
} // namespace teff::preempt
