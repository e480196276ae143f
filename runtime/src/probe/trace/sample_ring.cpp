// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/sample_ring.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "probe/trace/calls.h"
#include "probe/trace/sample_signal.h"

namespace teff::probe::trace {

namespace {

// Of the thread's own code alone, which needs no privilege.
perf_event_attr own_code(std::uint64_t period_ns) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_TASK_CLOCK;
    wanted.sample_period = period_ns;
    wanted.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.use_clockid = 1;
    wanted.clockid = CLOCK_MONOTONIC;
    return wanted;
}

// Of the kernel's code, too, with the place at which the thread left its own.
perf_event_attr all_code(std::uint64_t period_ns) {
    perf_event_attr wanted = own_code(period_ns);
    wanted.sample_type |= PERF_SAMPLE_CALLCHAIN;
    wanted.sample_max_stack = 1;
    wanted.exclude_kernel = 0;
    wanted.exclude_callchain_kernel = 1;
    return wanted;
}

} // namespace

void SampleRing::open(const Guest& guest, std::uint32_t thread, std::uint64_t period_ns, std::size_t most_pages) {
    const perf_event_attr all = all_code(period_ns), own = own_code(period_ns);
    ring_.open(guest, thread, most_pages, all, &own);
    sees_kernel_ = !ring_.is_other();
    begin(period_ns);
}

void SampleRing::open_with_signal(const Guest& guest, std::uint32_t thread, std::uint64_t period_ns,
                                  std::size_t most_pages) {
    ring_.open(guest, thread, most_pages, own_code(period_ns), nullptr, &sample_signal::send_with);
    sees_kernel_ = false;
    begin(period_ns);
}

void SampleRing::begin(std::uint64_t period_ns) {
    since_ = BothClocks::now();
    period_ns_ = period_ns;
    began_cpu_ns_ = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    count_ns_ = 0;
    ahead_ = 0;
    has_gap_ = false;
}

// Since the last sample. Those of the kernel's code are among them.
std::uint64_t SampleRing::lost_untold() {
    const std::uint64_t used = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began_cpu_ns_;
    const std::uint64_t lost = (used - std::min(used, count_ns_)) / period_ns_;
    ahead_ += lost;
    has_gap_ = has_gap_ || lost != 0;
    return lost;
}

std::uint64_t SampleRing::not_yet_counted(std::uint64_t told) {
    const std::uint64_t counted = std::min(told, ahead_);
    ahead_ -= counted;
    return told - counted;
}

// A sample may come a little late, so half a period counts as none. Where samples were lost it is
// not known what the time before them was.
std::uint32_t SampleRing::unseen_before(const SampleRecords::Sample& sample) {
    const std::uint64_t passed = sample.count_ns - std::min(count_ns_, sample.count_ns);
    count_ns_ = sample.count_ns;
    const bool has_gap = std::exchange(has_gap_, false);
    if (has_gap || sees_kernel_) return 0;
    const std::uint64_t periods = (passed + period_ns_ / 2) / period_ns_;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(periods, 1, 0xffff'ffff) - 1);
}

} // namespace teff::probe::trace
