// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/guest.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstring>
#include <sys/prctl.h>

#include "base/report.h"
#include "base/signals_of_writes.h"
#include "base/standard_error.h"
#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};
constexpr std::size_t kMaskBytes = sizeof kAllSignals;

// Written once, before there are other threads.
long filter_at_start = 0;

// The kind of the thread's filter for system calls, or that this cannot be told.
long filter() { return call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0); }

} // namespace

Guest::Guest() : errno_(errno) {
    blocks_signals_ = call(SYS_rt_sigprocmask, SIG_SETMASK, &kAllSignals, &mask_, kMaskBytes) == 0;
    may_call_ = blocks_signals_ && may_call_now();
}

Guest::~Guest() {
    constexpr int kTries = 10; // what has been allowed once is allowed again
    if (blocks_signals_)
        for (int i = 0; i < kTries; ++i)
            if (call(SYS_rt_sigprocmask, SIG_SETMASK, &mask_, nullptr, kMaskBytes) == 0) break;
    errno = errno_;
}

bool may_call_now() { return filter() == filter_at_start; }

void note_surroundings() { filter_at_start = filter(); }

bool was_filtered_at_start() { return filter_at_start != 0; }

void say(const Guest& guest, const char* format, ...) {
    if (!guest.may_call()) return;
    std::va_list arguments;
    va_start(arguments, format);
    const base::Line line = base::warning_line(format, arguments);
    va_end(arguments);
    if (base::write_at_once(line.text, line.bytes) < 0) base::take_back_signals_of_writes();
}

const char* words_for(int error) {
    const char* words = strerrordesc_np(error);
    return words != nullptr ? words : "unknown error";
}

} // namespace teff::probe::trace
