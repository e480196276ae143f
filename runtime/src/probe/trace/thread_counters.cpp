// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/thread_counters.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <ctime>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/arch/arch.h"
#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::size_t kEventPage = base::arch::kPageBytes;

// Of the thread's own code alone: the kernel's takes more rights. The group keeps its counters for
// as long as the thread runs, so that no value is an extrapolation.
long open_event(const CountedEvent& event, std::uint32_t thread, long leader) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = event.type;
    wanted.config = event.config;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.pinned = leader < 0;
    return call(SYS_perf_event_open, &wanted, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

std::uint32_t load(const std::uint32_t& word) {
    return std::atomic_ref(const_cast<std::uint32_t&>(word)).load(std::memory_order_relaxed); // the kernel changes it
}

std::uint64_t as_count(long value) { return static_cast<std::uint64_t>(value); }

// The counter has fewer than 64 bits, and the offset makes up for where it began.
std::uint64_t read_page(const perf_event_mmap_page& page) {
    std::uint32_t lock;
    std::uint64_t value;
    do {
        lock = load(page.lock); // [page-1]
        std::atomic_signal_fence(std::memory_order_seq_cst);
        value = static_cast<std::uint64_t>(page.offset);
        if (page.index != 0 && page.cap_user_rdpmc) {
            const unsigned unused = 64u - page.pmc_width;
            const std::uint64_t counter = base::arch::read_event_counter(page.index - 1) << unused;
            value += static_cast<std::uint64_t>(static_cast<std::int64_t>(counter) >> unused);
        }
        std::atomic_signal_fence(std::memory_order_seq_cst);
    } while (load(page.lock) != lock); // [page-1]
    return value;
}

} // namespace

ThreadCounters::Kind ThreadCounters::kind_of(const CountedEvent& event) {
    if (event.type != PERF_TYPE_SOFTWARE) return Kind::kHardware;
    switch (event.config) {
    case PERF_COUNT_SW_TASK_CLOCK:
        return Kind::kClock;
    case PERF_COUNT_SW_PAGE_FAULTS:
        return Kind::kFaults;
    case PERF_COUNT_SW_PAGE_FAULTS_MIN:
        return Kind::kMinorFaults;
    case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
        return Kind::kMajorFaults;
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
        return Kind::kSwitches;
    default:
        return Kind::kNotOfThread;
    }
}

void ThreadCounters::open(const Guest& guest, std::uint32_t thread, const CountedEvents& events,
                          Refused (&refused)[kMost]) {
    close();
    if (!guest.may_call()) return;
    Pages pages = {};
    const bool wants_hardware = std::any_of(events.wanted, events.wanted + events.count, [](const CountedEvent& event) {
        return kind_of(event) == Kind::kHardware;
    });
    if (wants_hardware && !was_filtered_at_start()) {
        auto work = [&] { map_group(thread, events, pages, refused); };
        (void)run_apart(guest, stack_, work);
    }
    for (unsigned event = 0; event < events.count; ++event) {
        const Kind kind = kind_of(events.wanted[event]);
        Refusal& reason = refused[event].reason;
        if (kind == Kind::kNotOfThread) reason = Refusal::kNotOfThread;
        if (kind == Kind::kHardware && was_filtered_at_start()) reason = Refusal::kFiltered;
        if (pages[event] != nullptr) reason = fault_of(*pages[event]);
        else if (kind == Kind::kHardware && reason == Refusal::kNone) reason = Refusal::kByKernel; // no thread for it
        if (reason == Refusal::kNone) add(kind, event, pages[event]);
        else if (pages[event] != nullptr) call(SYS_munmap, pages[event], kEventPage);
    }
    measure_own();
}

// Runs apart. The events live as long as their mappings.
void ThreadCounters::map_group(std::uint32_t thread, const CountedEvents& events, Pages& pages,
                               Refused (&refused)[kMost]) {
    long files[kMost], leader = -1;
    for (unsigned event = 0; event < events.count; ++event) {
        files[event] = -1;
        if (kind_of(events.wanted[event]) != Kind::kHardware) continue;
        const long file = files[event] = open_event(events.wanted[event], thread, leader);
        const long at = file < 0 ? file : call(SYS_mmap, nullptr, kEventPage, PROT_READ, MAP_SHARED, file, 0);
        if (is_error(at)) {
            refused[event] = {.reason = Refusal::kByKernel, .error = static_cast<int>(-at)};
            continue;
        }
        pages[event] = std::bit_cast<const perf_event_mmap_page*>(at);
        if (leader < 0) leader = file;
    }
    for (unsigned event = 0; event < events.count; ++event)
        if (files[event] >= 0) call(SYS_close, files[event]);
}

// The thread runs, so its events have their counters now.
ThreadCounters::Refusal ThreadCounters::fault_of(const perf_event_mmap_page& page) {
    if (!base::arch::kReadsEventCounters) return Refusal::kNotReadable;
    if (load(page.index) == 0) return Refusal::kNoCounter;
    return page.cap_user_rdpmc ? Refusal::kNone : Refusal::kNotReadable;
}

void ThreadCounters::add(Kind kind, unsigned event, const perf_event_mmap_page* page) {
    sources_[count_++] = {.kind = kind, .event = static_cast<std::uint8_t>(event), .page = page};
    if (kind == Kind::kClock) has_clock_ = true;
    else if (kind == Kind::kHardware) has_hardware_ = true;
    else has_usage_ = true;
}

void ThreadCounters::close() {
    for (unsigned at = 0; at < count_; ++at)
        if (sources_[at].page != nullptr) call(SYS_munmap, sources_[at].page, kEventPage);
    count_ = 0;
    has_clock_ = has_usage_ = has_hardware_ = false;
}

// The least of some tries: an interrupt or a page of this code that is touched for the first time
// adds to some.
void ThreadCounters::measure_own() {
    constexpr int kTries = 8;
    own_.fill(0);
    Values least;
    least.fill(~std::uint64_t{0});
    for (int i = 0; i < kTries; ++i) {
        Values began{}, ended{};
        if (!read_before(began) || !read_after(ended)) return;
        const Values passed = between(began, ended);
        for (unsigned at = 0; at < count_; ++at)
            least[at] = std::min(least[at], passed[at]);
    }
    own_ = least;
}

bool ThreadCounters::read_before(Values& values) const {
    if ((has_usage_ || has_clock_) && !may_call_now()) return false;
    read_usage(values);
    read_clock(values);
    read_hardware(values);
    return true;
}

bool ThreadCounters::read_after(Values& values) const {
    read_hardware(values);
    if ((has_usage_ || has_clock_) && !may_call_now()) return false;
    read_clock(values);
    read_usage(values);
    return true;
}

void ThreadCounters::read_hardware(Values& values) const {
    if (!has_hardware_) return;
    for (unsigned at = 0; at < count_; ++at)
        if (sources_[at].kind == Kind::kHardware) values[at] = read_page(*sources_[at].page);
}

void ThreadCounters::read_clock(Values& values) const {
    if (!has_clock_) return;
    const std::uint64_t now = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    for (unsigned at = 0; at < count_; ++at)
        if (sources_[at].kind == Kind::kClock) values[at] = now;
}

void ThreadCounters::read_usage(Values& values) const {
    if (!has_usage_) return;
    rusage usage{};
    if (call(SYS_getrusage, RUSAGE_THREAD, &usage) < 0) return;
    for (unsigned at = 0; at < count_; ++at) {
        const Kind kind = sources_[at].kind;
        if (kind == Kind::kFaults) values[at] = as_count(usage.ru_minflt) + as_count(usage.ru_majflt);
        else if (kind == Kind::kMinorFaults) values[at] = as_count(usage.ru_minflt);
        else if (kind == Kind::kMajorFaults) values[at] = as_count(usage.ru_majflt);
        else if (kind == Kind::kSwitches) values[at] = as_count(usage.ru_nvcsw) + as_count(usage.ru_nivcsw);
    }
}

ThreadCounters::Values ThreadCounters::between(const Values& began, const Values& ended) const {
    Values passed{};
    for (unsigned at = 0; at < count_; ++at) {
        const std::uint64_t all = ended[at] - std::min(ended[at], began[at]);
        passed[at] = all - std::min(all, own_[at]);
    }
    return passed;
}

} // namespace teff::probe::trace
