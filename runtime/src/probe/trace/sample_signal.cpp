// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/sample_signal.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/auxv.h>
#include <utility>

#include "base/wakes.h"
#include "icv/icv.h"
#include "probe/trace/calls.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace::sample_signal {

namespace {

// Written before there are streams.
bool is_prepared = false, is_set = false;

int own_signal() {
    const bool is_taken =
        icv::global().preemption.source != icv::PreemptionSource::off && icv::global().preempt_signal == SIGURG;
    return is_taken ? SIGWINCH : SIGURG;
}

// What a file sends; all others say who they are.
bool is_of_file(const siginfo_t& info) { return info.si_code >= POLL_IN && info.si_code <= POLL_HUP; }

void on_signal(int, siginfo_t* info, void* context) {
    if (!is_of_file(*info)) return;
    if (auto* const stream = static_cast<Stream*>(base::this_threads_wakes.stream)) stream->take_stack(context);
}

bool is_ours(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &on_signal;
}

bool set_handler() {
    struct sigaction action{};
    if (sigaction(own_signal(), nullptr, &action) != 0) return false;
    if ((action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN))
        return false;
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    return sigaction(own_signal(), &action, nullptr) == 0;
}

// The kernel says how much its frame takes at most; older kernels do not. It counts the registers
// of AMX, too; once a program may use these, the kernel itself refuses smaller stacks.
bool has_space() {
    constexpr std::size_t kSmallest = 2048, kLargest = 3584, kHandler = 640;
    stack_t stack{};
    if (is_error(call(SYS_sigaltstack, nullptr, &stack)) || (stack.ss_flags & SS_DISABLE) != 0) return true;
    return stack.ss_size >= std::clamp<std::size_t>(getauxval(AT_MINSIGSTKSZ), kSmallest, kLargest) + kHandler;
}

} // namespace

bool prepare() {
    if (!std::exchange(is_prepared, true)) is_set = set_handler();
    return is_set;
}

bool can_come() {
    struct sigaction action{};
    return is_set && sigaction(own_signal(), nullptr, &action) == 0 && is_ours(action) && has_space();
}

void send_with(long file, std::uint32_t thread) {
    const f_owner_ex owner{F_OWNER_TID, static_cast<int>(thread)};
    if (is_error(call(SYS_fcntl, file, F_SETOWN_EX, &owner))) return;
    if (is_error(call(SYS_fcntl, file, F_SETSIG, own_signal()))) return;
    const long flags = call(SYS_fcntl, file, F_GETFL, 0);
    if (!is_error(flags)) (void)call(SYS_fcntl, file, F_SETFL, flags | O_ASYNC);
}

} // namespace teff::probe::trace::sample_signal
