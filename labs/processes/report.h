// SPDX-License-Identifier: Apache-2.0
// Prints this library's messages to standard error, each as a line that starts with "teff: ".
#pragma once

namespace teff::processes {

// Says it. Writes at once, without the C library's buffers: it may be called anywhere.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

// Something after which the run cannot go on: says it and ends all processes of the run.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void fail(const char* format, ...);

// The same where a system call has failed: adds the reason that errno tells.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void fail_errno(const char* format, ...);

// The exit status of a run that fail() has ended.
inline constexpr int kFailedStatus = 70;

} // namespace teff::processes
