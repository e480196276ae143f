// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/perf_events.h"

#include <charconv>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
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

// The kernel's number of the event behind a file; 0: it is none. A program may close files that it
// does not know, and open others under their numbers.
std::uint64_t id_of(long file) {
    std::uint64_t id = 0;
    return call(SYS_ioctl, file, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

bool is_ours(const teff_stat_worker& counters, std::uint32_t at) {
    const std::int32_t file = counters.event_files[at];
    return file >= 0 && counters.event_ids[at] != 0 && id_of(file) == counters.event_ids[at];
}

// Adds to what threads before this one have counted under the same number. False: it is not known.
bool read_event(teff_stat_worker& counters, std::uint32_t at) {
    teff_stat_event now;
    if (!is_ours(counters, at)) return false;
    if (call(SYS_read, counters.event_files[at], &now, sizeof now) != sizeof now) return false;
    counters.events[at].value += now.value;
    counters.events[at].enabled_ns += now.enabled_ns;
    counters.events[at].running_ns += now.running_ns;
    return true;
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
        counters.event_ids[at] = file < 0 ? 0 : id_of(file);
    }
}

void read_events(teff_stat_worker& counters) {
    bool all = true;
    for (std::uint32_t at = 0; at < TEFF_STAT_EVENTS; ++at)
        if (counters.event_files[at] >= 0 && !read_event(counters, at)) all = false;
    counters.flags |= all ? TEFF_STAT_FILLED : TEFF_STAT_LOST;
}

void close_events(teff_stat_worker& counters) {
    for (std::uint32_t at = 0; at < TEFF_STAT_EVENTS; ++at) {
        if (is_ours(counters, at)) call(SYS_close, counters.event_files[at]);
        counters.event_files[at] = -1;
    }
}

} // namespace teff::probe::stat
