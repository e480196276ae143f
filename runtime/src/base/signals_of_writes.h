// SPDX-License-Identifier: Apache-2.0
//
// The signals that a failing write may raise on its thread: SIGPIPE and SIGXFSZ. Code that writes
// for the runtime blocks these signals, and unblocks them only after
// take_back_signals_of_writes() has removed those that the write has raised. So the program does
// not get the signals.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/system_call.h"

namespace teff::base {

inline void take_back_signals_of_writes() {
    constexpr auto bit_of = [](int signal) { return std::uint64_t{1} << (signal - 1); };
    const std::uint64_t raised = bit_of(SIGPIPE) | bit_of(SIGXFSZ);
    const timespec at_once{};
    (void)call(SYS_rt_sigtimedwait, &raised, nullptr, &at_once, sizeof raised);
}

} // namespace teff::base
