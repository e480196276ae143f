// SPDX-License-Identifier: Apache-2.0
// Stream's methods that count events in each fragment of a grain. A fragment is counted from one
// reading of the counters to the next; what lies between two fragments belongs to the runtime, or
// to the recorder. The readings at its two ends lie in the time of the fragment, because its
// neighbours' instants were read before the first reading and after the second. So each fragment
// has a record, which says how long they took, even if nothing was counted.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "probe/trace/calls.h"
#include "probe/trace/guest.h"
#include "probe/trace/stream.h"

namespace teff::probe::trace {

namespace {

// `error`: of perf_event_open, or 0 if the recorder got no thread to call it.
const char* words_for_refusal(int error) {
    switch (error) {
    case 0:
        return "there is no thread to open it";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "the kernel has no counter of this kind here, as in most virtual machines";
    case EACCES:
    case EPERM:
        return "the kernel does not allow it (/proc/sys/kernel/perf_event_paranoid above 2, or a container)";
    default:
        return words_for(error);
    }
}

} // namespace

void Stream::fragment_begins(std::uint64_t task, bool in_chunk) {
    if (counters_.count() == 0 || fragment_.is_busy) return;
    if (fragment_.task == task && fragment_.in_chunk == in_chunk) return;
    fragment_.is_busy = true;
    end_fragment();
    fragment_.in_chunk = in_chunk;
    fragment_.so_far.fill(0);
    const Ticks began = base::ticks();
    if (counters_.read_before(fragment_.began)) fragment_.task = task;
    fragment_.reading = base::ticks() - began;
    fragment_.is_busy = false;
}

void Stream::fragment_ends() {
    if (fragment_.task == 0 || fragment_.is_busy) return;
    fragment_.is_busy = true;
    end_fragment();
    fragment_.is_busy = false;
}

// While the fragment is busy. The records are made when no fragment is under way, as the recorder
// may need a new chunk for them.
void Stream::end_fragment() {
    if (fragment_.task == 0) return;
    const Ticks began = base::ticks();
    ThreadCounters::Values now{};
    const bool is_known = counters_.read_after(now);
    const std::uint64_t task = fragment_.task;
    fragment_.task = 0;
    if (!is_known) return;
    ThreadCounters::Values counts = counters_.between(fragment_.began, now);
    bool is_any = false;
    for (unsigned at = 0; at < counters_.count(); ++at)
        is_any |= (counts[at] += fragment_.so_far[at]) != 0;
    write_counts(TEFF_COUNTS_FRAGMENT | (fragment_.in_chunk ? unsigned{TEFF_COUNTS_CHUNK} : 0u), task, counts,
                 is_any ? counters_.count() : 0, began);
}

// The recorder works in the middle of the fragment. Returns true if the fragment is to be
// continued.
bool Stream::interrupt_fragment() {
    if (fragment_.task == 0 || fragment_.is_busy) return false;
    fragment_.is_busy = true;
    ThreadCounters::Values now{};
    if (!counters_.read_after(now)) fragment_.task = 0;
    const ThreadCounters::Values counts = counters_.between(fragment_.began, now);
    for (unsigned at = 0; at < counters_.count(); ++at)
        fragment_.so_far[at] += counts[at];
    return true;
}

void Stream::continue_fragment() {
    if (fragment_.task != 0 && !counters_.read_before(fragment_.began)) fragment_.task = 0;
    fragment_.is_busy = false;
}

void Stream::open_counters(const Guest& guest) {
    const auto thread = static_cast<std::uint32_t>(call(SYS_gettid));
    if (events_ == nullptr || !guest.may_call() || (counters_.count() != 0 && counters_of_ == thread)) return;
    ThreadCounters::Refused refused[ThreadCounters::kMost];
    counters_.open(guest, counters_of_ = thread, *events_, refused);
    for (unsigned event = 0; event < events_->count; ++event)
        if (refused[event].reason != ThreadCounters::Refusal::kNone) say_refused(guest, event, refused[event]);
    first_counter_ = last_counter_ + 1;
    last_counter_ += counters_.count();
    are_counters_told_ = false;
    if (!counters_.read_before(counters_began_)) counters_.close();
}

// Once for the process and the event.
void Stream::say_refused(const Guest& guest, unsigned event, const ThreadCounters::Refused& refused) const {
    using Refusal = ThreadCounters::Refusal;
    if (!file_.folder().first_to_say_refused(event)) return;
    const char* why = "";
    switch (refused.reason) {
    case Refusal::kNone:
    case Refusal::kByKernel:
        why = words_for_refusal(refused.error);
        break;
    case Refusal::kNotOfThread:
        why = "the kernel does not tell it for a thread";
        break;
    case Refusal::kFiltered:
        why = "the program was started under a filter for system calls";
        break;
    case Refusal::kNotReadable:
        why = "programs may not read the processor's counters here";
        break;
    case Refusal::kNoCounter:
        why = "the processor has no counter free for it";
        break;
    }
    const std::string_view name = events_->wanted[event].name();
    say(guest, "%.*s is not counted: %s", static_cast<int>(name.size()), name.data(), why);
}

void Stream::write_counters() {
    for (unsigned counter = 0; counter < counters_.count(); ++counter) {
        const std::string_view name = events_->wanted[counters_.event(counter)].name();
        char* const at = begin_record(sizeof(teff_rec_counter) + (name.size() + 15) / 16 * 16);
        if (at == nullptr) return;
        auto* record = reinterpret_cast<teff_rec_counter*>(at);
        record->counter = first_counter_ + counter;
        record->name_bytes = static_cast<std::uint32_t>(name.size());
        std::memset(record->reserved, 0, sizeof record->reserved);
        std::memcpy(at + sizeof *record, name.data(), name.size());
        std::atomic_ref<std::uint64_t>(record->head).store(TEFF_REC_COUNTER, std::memory_order_release); // [trace-1]
        end_record();
    }
    are_counters_told_ = true;
}

// `reading_since`: when the reading at the end of the fragment began; 0: there is no fragment.
void Stream::write_counts(unsigned flags, std::uint64_t task, const ThreadCounters::Values& values, unsigned count,
                          Ticks reading_since) {
    const std::size_t bytes = sizeof(teff_rec_counts) + (count + 1) / 2 * 16;
    // What they define must be in the same chunk of a ring.
    if (!has_room(bytes) && !try_next_chunk()) return (void)lose();
    if (count != 0 && !are_counters_told_) write_counters();
    char* const at = begin_record(bytes);
    if (at == nullptr) return;
    if (count != 0) {
        auto* const tail = reinterpret_cast<std::uint64_t*>(at + sizeof(teff_rec_counts));
        tail[(count - 1) | 1] = 0; // what fills the record up
        std::copy_n(values.begin(), count, tail);
    }
    const Ticks now = base::ticks(); // late, so that the reader takes the storing for the recorder's, too
    const auto half = [](Ticks ticks) { return static_cast<std::uint32_t>(std::min<Ticks>(ticks, UINT32_MAX)); };
    const bool is_fragment = reading_since != 0;
    const std::uint32_t before = is_fragment ? half(fragment_.reading) : 0;
    const std::uint32_t after = is_fragment ? half(length(reading_since, now)) : 0;
    store<TEFF_REC_COUNTS>(at, flags, now, teff_rec_counts{0, first_counter_, count * 8, task, before, after});
    end_record();
}

void Stream::write_counts_of_thread() {
    ThreadCounters::Values now{};
    if (cursor_.at == nullptr || !counters_.read_after(now)) return;
    ThreadCounters::Values counts{};
    for (unsigned at = 0; at < counters_.count(); ++at)
        counts[at] = now[at] - std::min(now[at], counters_began_[at]);
    write_counts(TEFF_COUNTS_THREAD, 0, counts, counters_.count(), 0);
}

} // namespace teff::probe::trace
