// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/perf_events.h"

#include <charconv>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "base/system_call.h"

namespace teff::probe::stat {

namespace {

using base::call;

constexpr int kLowestFile = 512;

// Takes a number and what follows it off the text's front. False: there is none.
template <class Number> bool take(std::string_view& text, Number& number, char separator) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return separator == ',';
    if (text.front() != separator) return false;
    text.remove_prefix(1);
    return true;
}

// Of the thread's own code alone: to count the kernel's takes more rights. Software events are the
// kernel's own doing, and would be 0 then; where they need the rights, user code is counted.
long open_event(const Event& event) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = event.type;
    wanted.config = event.config;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    wanted.exclude_hv = 1;
    wanted.exclude_kernel = event.type != PERF_TYPE_SOFTWARE;
    long file = call(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0 && wanted.exclude_kernel == 0) {
        wanted.exclude_kernel = 1;
        file = call(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (file < 0) return file;
    const long high = call(SYS_fcntl, file, F_DUPFD_CLOEXEC, kLowestFile);
    if (high < 0) return file; // few are allowed
    call(SYS_close, file);
    return high;
}

} // namespace

Events parse_events(std::string_view text) {
    Events events;
    while (events.count < TEFF_STAT_EVENTS) {
        Event event{};
        if (!take(text, event.type, ':') || !take(text, event.config, ',')) break;
        events.wanted[events.count++] = event;
    }
    return events;
}

void open_events(const Events& events, teff_stat_worker& counters, std::int32_t* errors) {
    for (std::uint32_t at = 0; at < TEFF_STAT_EVENTS; ++at) {
        const long file = at < events.count ? open_event(events.wanted[at]) : -1;
        if (at < events.count && file < 0) errors[at] = static_cast<std::int32_t>(-file);
        counters.event_files[at] = file < 0 ? -1 : static_cast<std::int32_t>(file);
    }
}

// Adds to what threads before this one have counted under the same number.
void read_events(teff_stat_worker& counters) {
    for (std::uint32_t at = 0; at < TEFF_STAT_EVENTS; ++at) {
        teff_stat_event now;
        if (counters.event_files[at] < 0) continue;
        if (call(SYS_read, counters.event_files[at], &now, sizeof now) != sizeof now) continue;
        counters.events[at].value += now.value;
        counters.events[at].enabled_ns += now.enabled_ns;
        counters.events[at].running_ns += now.running_ns;
    }
}

void close_events(teff_stat_worker& counters) {
    for (std::int32_t& file : counters.event_files) {
        if (file >= 0) call(SYS_close, file);
        file = -1;
    }
}

} // namespace teff::probe::stat
