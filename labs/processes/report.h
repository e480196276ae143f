// SPDX-License-Identifier: Apache-2.0
// Prints this library's messages to standard error, each as a line that starts with "teff: ".
#pragma once

namespace teff::processes {

// Prints a message at once, without the C library's buffers, so it may be called anywhere.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

// Reports an error after which the run cannot continue, and ends all processes of the run.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void fail(const char* format, ...);

// The same after a failed system call: adds the reason from errno.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void fail_errno(const char* format, ...);

// The exit status of a run that fail() has ended.
inline constexpr int kFailedStatus = 70;

} // namespace teff::processes
