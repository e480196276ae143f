// SPDX-License-Identifier: Apache-2.0
#include "preempt/interpose_signals.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#include "base/report.h"
#include "base/system_call.h"
#include "icv/icv.h"
#include "preempt/hold.h"
#include "preempt/interpose.h"
#include "sync/mutex.h"

namespace teff::preempt {

namespace {

using Action = struct sigaction;

// The program's action for our signal. Null: our handler is not there, and the kernel has it.
struct Kept {
    Action action;
    Kept* next; // all that were ever kept
};
constinit std::atomic<const Kept*> programs_action{nullptr};
constinit sync::Mutex kept_lock;        // never taken in a handler
constinit Kept by_default{{}, nullptr}; // SIG_DFL
constinit Kept* all_kept TEFF_GUARDED_BY(kept_lock) = &by_default;

// Signals whose handler has our signal in its mask because the program wants it so. A bit each.
constinit std::atomic<std::uint64_t> wanted_in_mask{0};

bool has_function(const Action& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }

bool is_same(const Action& a, const Action& b) {
    return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags &&
           std::memcmp(&a.sa_mask, &b.sa_mask, sizeof a.sa_mask) == 0;
}

// Null: there is no memory.
const Kept* keep(const Action& action) TEFF_REQUIRES(kept_lock) {
    for (const Kept* kept = all_kept; kept != nullptr; kept = kept->next)
        if (is_same(kept->action, action)) return kept;
    auto* const fresh = static_cast<Kept*>(std::malloc(sizeof(Kept)));
    if (fresh == nullptr) return nullptr;
    *fresh = {action, all_kept};
    all_kept = fresh;
    return fresh;
}

// sigaction for our signal, while our handler is there.
int exchange_programs_action(const Action* wanted, Action* before) {
    const Hold no_switch; // the lock is held
    const sync::MutexGuard guard(kept_lock);
    const Kept* const current = programs_action.load(std::memory_order_relaxed); // under the lock
    if (before != nullptr) *before = current->action;
    if (wanted == nullptr) return 0;
    const Kept* const kept = keep(*wanted);
    if (kept == nullptr) {
        errno = ENOMEM;
        return -1;
    }
    programs_action.store(kept, std::memory_order_release); // [chain-1]
    return 0;
}

std::uint64_t bit_of(int signal) { return signal >= 1 && signal <= 64 ? std::uint64_t{1} << (signal - 1) : 0; }

// The program's action as the kernel gets it, and what the program wants remembered.
Action widened(int signal, const Action& wanted) {
    Action result = wanted;
    if (!has_function(wanted)) return result;
    if (sigismember(&wanted.sa_mask, own_signal()) == 1)
        wanted_in_mask.fetch_or(bit_of(signal), std::memory_order_relaxed);
    else wanted_in_mask.fetch_and(~bit_of(signal), std::memory_order_relaxed);
    sigaddset(&result.sa_mask, own_signal());
    return result;
}

int set_action(int signal, const Action* wanted, Action* before) {
    if (!is_on()) return sigaction(signal, wanted, before);
    if (signal == own_signal() && programs_action.load(std::memory_order_relaxed) != nullptr)
        return exchange_programs_action(wanted, before);
    const bool wanted_before = (wanted_in_mask.load(std::memory_order_relaxed) & bit_of(signal)) != 0;
    const Action wider = wanted != nullptr ? widened(signal, *wanted) : Action{};
    const int result = sigaction(signal, wanted != nullptr ? &wider : nullptr, before);
    if (result == 0 && before != nullptr && !wanted_before) sigdelset(&before->sa_mask, own_signal());
    return result;
}

sighandler_t set_handler(int signal, sighandler_t handler, int flags) {
    Action wanted{};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    if ((flags & SA_NODEFER) == 0) sigaddset(&wanted.sa_mask, signal);
    Action before;
    return set_action(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

sighandler_t set_bsd_handler(int signal, sighandler_t handler) { return set_handler(signal, handler, SA_RESTART); }
sighandler_t set_old_handler(int signal, sighandler_t handler) {
    return set_handler(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// The program's mask without our signal.
class NarrowerMask {
  public:
    NarrowerMask(int how, const sigset_t* wanted) : given_(wanted != nullptr) {
        if (!given_) return;
        mask_ = *wanted;
        if (is_on() && how != SIG_UNBLOCK) sigdelset(&mask_, own_signal());
    }
    const sigset_t* get() const { return given_ ? &mask_ : nullptr; }

  private:
    const bool given_;
    sigset_t mask_;
};

int set_thread_mask(int how, const sigset_t* wanted, sigset_t* before) {
    return pthread_sigmask(how, NarrowerMask(how, wanted).get(), before);
}
int set_mask(int how, const sigset_t* wanted, sigset_t* before) {
    return sigprocmask(how, NarrowerMask(how, wanted).get(), before);
}

// The first 64 signals are all; the kernel's set is that long.
std::uint64_t change_mask(int how, std::uint64_t signals) {
    std::uint64_t before = 0;
    base::call(SYS_rt_sigprocmask, how, &signals, &before, sizeof signals);
    return before;
}

// As the kernel would.
void call_programs_handler(const Action& action, int signal, siginfo_t* info, void* context) {
    const Hold no_switch;
    std::uint64_t mask;
    std::memcpy(&mask, &action.sa_mask, sizeof mask);
    if ((action.sa_flags & SA_NODEFER) == 0) mask |= bit_of(signal);
    const std::uint64_t before = change_mask(SIG_BLOCK, mask);
    if ((action.sa_flags & SA_SIGINFO) != 0) action.sa_sigaction(signal, info, context);
    else action.sa_handler(signal);
    change_mask(SIG_SETMASK, before);
}

bool is_ignored_by_default(int signal) { return signal == SIGURG || signal == SIGWINCH; }

// What the kernel does without a handler: the process ends.
void take_default_action(int signal) {
    if (is_ignored_by_default(signal)) return;
    sigaction(signal, &by_default.action, nullptr);
    change_mask(SIG_UNBLOCK, bit_of(signal));
    base::call(SYS_tgkill, getpid(), gettid(), signal);
}

} // namespace

int own_signal() { return icv::global().preempt_signal; }

void keep_own_signal_from_handlers() {
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
        Action action;
        if (signal == own_signal() || sigaction(signal, nullptr, &action) != 0 || !has_function(action)) continue;
        const Action wider = widened(signal, action);
        sigaction(signal, &wider, nullptr);
    }
}

bool install(void (*handler)(int, siginfo_t*, void*)) {
    const sync::MutexGuard guard(kept_lock);
    if (programs_action.load(std::memory_order_relaxed) != nullptr) return true;
    Action before;
    if (sigaction(own_signal(), nullptr, &before) != 0) return false;
    const Kept* const kept = keep(before);
    if (kept == nullptr) return false;
    programs_action.store(kept, std::memory_order_release); // [chain-1]
    Action ours{};
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(own_signal(), &ours, nullptr) == 0;
}

void chain(int signal, siginfo_t* info, void* context) {
    const Kept* const kept = programs_action.load(std::memory_order_acquire); // [chain-1]
    if (kept == nullptr || kept->action.sa_handler == SIG_IGN) return;
    if (kept->action.sa_handler == SIG_DFL) return take_default_action(signal);
    const Action& action = kept->action;
    if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
        const Kept* expected = kept; // unless the program has set another meanwhile
        programs_action.compare_exchange_strong(expected, &by_default, std::memory_order_release, // [chain-1]
                                                std::memory_order_relaxed);
    }
    call_programs_handler(action, signal, info, context);
}

void uninstall() {
    const Kept* const kept = programs_action.load(std::memory_order_acquire); // [chain-1]
    if (kept != nullptr) sigaction(own_signal(), &kept->action, nullptr);
}

bool block_own_signal() {
    const std::uint64_t own = bit_of(own_signal());
    return (change_mask(SIG_BLOCK, own) & own) == 0;
}

void unblock_own_signal() { change_mask(SIG_UNBLOCK, bit_of(own_signal())); }

std::span<const Interposed> interposed_signals() {
    static const Interposed kSignals[] = {
        {"sigaction", address_of(&set_action)},
        {"signal", address_of(&set_bsd_handler)},
        {"bsd_signal", address_of(&set_bsd_handler)},
        {"ssignal", address_of(&set_bsd_handler)},
        {"__sysv_signal", address_of(&set_old_handler)},
        {"sysv_signal", address_of(&set_old_handler)},
        {"pthread_sigmask", address_of(&set_thread_mask)},
        {"sigprocmask", address_of(&set_mask)},
    };
    return kSignals;
}

} // namespace teff::preempt
