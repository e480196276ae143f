// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

#include "probe/trace/calls.h"
#include "probe/trace/recording.h"

namespace teff::probe::trace {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
// Where that much of a chunk is full, the next one is made ready: early, as processors may be busy.
constexpr std::size_t kFirstPart = TEFF_TRACE_CHUNK_BYTES / 4;
constexpr std::uint64_t kRecordsOfAChunk = TEFF_TRACE_CHUNK_BYTES / sizeof(teff_rec_run);

void say_limit(const Guest& guest, const Folder& folder) {
    constexpr const char* kWhatFollows = "what follows is counted, not recorded; TEFF_TRACE_LIMIT sets the limit";
    if (folder.has_default_limit())
        say(guest,
            "%s takes %llu MiB, and would soon have taken more than it leaves free on its disk, or of its control "
            "group's memory, or more than %llu MiB: %s",
            folder.path(), folder.taken_MiB(), folder.most_MiB(), kWhatFollows);
    else say(guest, "%s has reached its limit of %llu MiB: %s", folder.path(), folder.most_MiB(), kWhatFollows);
}

} // namespace

Stream::Stream(Folder& folder, std::uint32_t number, Instant origin, Ticks cpu_time_every, bool keeps_from_children,
               bool prepares)
    : prepares_(prepares), keeps_from_children_(keeps_from_children), file_(folder, number, prepares), origin_(origin),
      cpu_time_every_(cpu_time_every), number_(number) {
    cursor_.is_ours = true;
}

Stream* Stream::make(StreamMemory& memory, Folder& folder, std::uint32_t number, Instant origin, Ticks cpu_time_every) {
    void* const place = memory.take(sizeof(Stream));
    if (place == nullptr) return nullptr;
    return ::new (place)
        Stream(folder, number, origin, cpu_time_every, memory.is_kept_from_children(), memory.has_plenty());
}

void Stream::make_at(void* place, Folder& folder) {
    (::new (place) Stream(folder, 0, {}, kTicksMask, false, false))->cpu_time_next_ = kNever;
}

void Stream::unmake(Stream* stream) {
    stream->file_.unmap();
    stream->close_rings();
    CallPaths::unmake(stream->paths_);
    SampleStacks::unmake(stream->stacks_);
    stream->~Stream();
}

void Stream::begin_thread(Ticks came) {
    adds_site_.store(false, std::memory_order_relaxed); // a thread before may have been cancelled there
    own_time_began_ = 0;
    creation_.cost = nullptr;
    at_once_ = nullptr;
    fragment_.task = 0;
    fragment_.is_busy = false;
    cursor_.is_storing = false;
    if (file_.chunks() == 0) {
        const OwnTime time(*this, came); // of the recording's start, too
        return void(try_next_chunk());   // which says so
    }
    if (cursor_.at == nullptr) return;
    const Guest guest;
    if (guest.may_call()) take_over(guest, came);
}

// A thread that is back from outside of a window keeps its rings, which tell the time since.
void Stream::take_over(const Guest& guest, Ticks came) {
    const OwnTime time(*this, came);
    const std::uint32_t before = os_thread_.load(std::memory_order_relaxed);
    note_own_thread();
    const bool is_open = switches_.is_open() || samples_.is_open() || counters_.count() != 0;
    if (is_open && os_thread_.load(std::memory_order_relaxed) == before) return write_thread(0);
    open_rings(guest);
    write_thread(TEFF_THREAD_BEGINS);
}

// The memory of the streams that are shown to other threads is never unmapped, but the rings of an
// ended thread are.
void Stream::end_thread() {
    if (!cursor_.is_ours || os_thread_.load(std::memory_order_relaxed) == 0) return;
    const Guest guest;
    if (!guest.may_call()) return os_thread_.store(0, std::memory_order_relaxed);
    fragment_ends();
    write_samples();
    if (cursor_.at != nullptr) write_thread(TEFF_THREAD_ENDS);
    close_rings();
    os_thread_.store(0, std::memory_order_relaxed);
}

void Stream::open_rings(const Guest& guest) {
    if (switch_pages_ != 0) switches_.open(guest, os_thread_.load(std::memory_order_relaxed), switch_pages_);
    has_all_switches_ = switches_.is_open();
    if (sample_pages_ != 0) open_samples(guest);
    open_counters(guest);
}

void Stream::close_rings() {
    switches_.close();
    samples_.close();
    counters_.close();
    takes_stacks_ = false;
}

// With signals blocked. A record that needs a new chunk has a THREAD record written before it, in
// the middle of this.
void Stream::write_switches() {
    if (!switches_.is_open() || writes_switches_) return;
    writes_switches_ = true;
    bool is_stored = true;
    const auto write = [&](const SwitchRing::Off& off) {
        const auto reason = off.was_preempted ? TEFF_OFF_PREEMPTED : TEFF_OFF_SLEPT;
        is_stored &=
            append<TEFF_REC_OFF>(reason, off.begin, teff_rec_off{0, off.ticks, {}}, [&] { sums_.was_off(off.ticks); });
    };
    const bool is_whole = switches_.drain(write);
    has_all_switches_ = has_all_switches_ && is_whole && is_stored;
    writes_switches_ = false;
}

// For a THREAD record, which begins a new stretch.
bool Stream::are_switches_told() {
    if (!switches_.is_open() || writes_switches_) return false;
    write_switches();
    return std::exchange(has_all_switches_, true);
}

void Stream::tell_switches() {
    const OwnTime time(*this);
    const Guest guest;
    if (cursor_.is_ours) write_switches();
}

Stream::OwnTime::OwnTime(Stream& stream, Ticks began) : stream_(stream), is_outermost_(stream.own_time_began_ == 0) {
    if (!is_outermost_) return;
    stream.own_time_began_ = began;
    interrupts_ = stream.interrupt_fragment();
}

// The record's space is taken first, for that may take a while, too.
Stream::OwnTime::~OwnTime() {
    if (!is_outermost_) return;
    const bool has_room = stream_.has_room(sizeof(teff_rec_recorder)) || stream_.try_next_chunk();
    const Ticks began = std::exchange(stream_.own_time_began_, 0);
    const Ticks ticks = stream_.length(began, base::ticks());
    stream_.recorder_ticks_ += ticks;
    if (has_room) stream_.append<TEFF_REC_RECORDER>(0, began, teff_rec_recorder{0, ticks, {}});
    if (interrupts_) stream_.continue_fragment();
}

// Nothing: for who returns it.
char* Stream::lose() {
    lost_.store(lost_records() + 1, std::memory_order_relaxed);
    return nullptr;
}

// The chunk changes while none of its records is being stored. So handlers of signals may come in
// between, and have filled the next one.
bool Stream::find_room(std::size_t bytes) {
    end_record();
    if (next_chunk()) {
        (void)set_storing(true);
        if (has_room(bytes)) return true;
        end_record();
    }
    lose();
    return false;
}

// A signal that has waited for the end of that may have forked: a child finds the stream empty.
bool Stream::next_chunk() { return try_next_chunk() && cursor_.is_ours; }

bool Stream::try_next_chunk() {
    if (!may_try() || cursor_.is_storing) return false; // [append-1]
    const OwnTime time(*this);
    const Guest guest;
    if (!cursor_.is_ours) return false; // a signal's handler has forked since
    if (is_at_end_of_part()) return pass_end_of_part(guest), true;
    if (!begins(guest) || !open_next_chunk(guest)) return false;
    write_clock();
    const bool begins_thread = file_.chunks() == 1;
    if (begins_thread) open_rings(guest);
    write_thread(begins_thread ? TEFF_THREAD_BEGINS : 0);
    if (file_.chunks() > 1) write_sums();
    write_lost();
    write_preparation();
    write_first_task();
    if (file_.ring() != 0) write_open_spans();
    return true;
}

// False: there is no recording that it could be part of.
bool Stream::begins(const Guest& guest) {
    if (begin_ == nullptr || begin_(guest)) return begin_ = nullptr, true;
    try_again_at_ = guest.may_call() ? kNever : lost_records() + kRecordsOfAChunk;
    return false;
}

void Stream::write_first_task() {
    const std::uint64_t task = std::exchange(first_task_, 0);
    if (task == 0) return;
    initial_task(base::ticks(), task);
}

void Stream::initial_task(Ticks when, std::uint64_t task) {
    create(when, TEFF_TASK_IMPLICIT, task, 0, 0, 0);
    start(when, task, 0);
    initial_task_ = task;
}

void Stream::begin_window(std::uint32_t number, std::uint64_t task) {
    if (task != 0) first_task_ = 0; // the task in which the process was forked is over
    begin_thread();
    append<TEFF_REC_WINDOW>(TEFF_WINDOW_BEGINS, base::ticks(), teff_rec_window{0, number, {}},
                            [this] { sums_.window_changed(); });
    if (task != 0 && task != initial_task_) initial_task(base::ticks(), task);
    write_open_spans();
}

void Stream::end_window(std::uint32_t number, Ticks when) {
    fragment_.task = 0; // what it counts from here on is in no window
    if (cursor_.at == nullptr && file_.chunks() == 0) (void)try_next_chunk(); // the thread was never recorded
    if (cursor_.at != nullptr) (void)write_thread_so_far();                   // what it used until the window's end
    append<TEFF_REC_WINDOW>(TEFF_WINDOW_ENDS, when, teff_rec_window{0, number, {}}, [this] { sums_.window_changed(); });
}

bool Stream::open_next_chunk(const Guest& guest) {
    creation_ends(own_time_began_); // its record goes out of reach
    ChunkFile::Failure failure;
    char* const chunk = file_.next(guest, keeps_from_children_, failure);
    if (chunk == nullptr) return give_up(guest, failure), false;
    begin_chunk(chunk);
    return true;
}

void Stream::pass_end_of_part(const Guest& guest) {
    cursor_.end = chunk_end_;
    file_.prepare(guest, keeps_from_children_);
}

void Stream::give_up(const Guest& guest, const ChunkFile::Failure& failure) {
    const bool limit = failure.reason == ChunkFile::kLimit;
    cursor_.at = cursor_.end = chunk_end_ = nullptr;
    try_again_at_ = limit ? kNever : lost_records() + kRecordsOfAChunk;
    Folder& folder = file_.folder();
    if (limit && folder.first_to_say_limit()) say_limit(guest, folder);
    if (limit || failure.reason == -ECANCELED || !folder.first_to_say_failure()) return;
    folder.note_failure(failure.doing, failure.reason);
    say(guest, "%s/%s cannot be %s (%s): what follows is counted, not recorded; the program goes on", folder.path(),
        file_.name(), failure.doing, words_for(static_cast<int>(-failure.reason)));
}

// A chunk may hold events that began long before it was opened (a task's RUN is written at its
// end). So all chunks count from the recording's start, for as long as 48 bits reach (13 hours at 3
// GHz, with as much again for what the chunk will hold); later ones from half the range back, and
// what began before that saturates. In whole numbers: a conversion to floating point would show in
// the thread's flags.
Stream::Instant Stream::choose_base() const {
    constexpr Ticks kHalfRange = std::uint64_t{1} << 47;
    const Instant now{base::ticks(), base::monotonic_ns()};
    const Ticks elapsed = now.ticks - origin_.ticks;
    if (elapsed < kHalfRange || is_backwards(elapsed)) return origin_;
    const unsigned __int128 half_ns = static_cast<unsigned __int128>(now.ns - origin_.ns) * kHalfRange / elapsed;
    return {now.ticks - kHalfRange, now.ns - static_cast<std::uint64_t>(half_ns)};
}

void Stream::begin_chunk(char* chunk) {
    const Instant base = choose_base();
    note_own_thread();
    auto* header = reinterpret_cast<teff_chunk_header*>(chunk);
    *header = {.magic = 0,
               .version = TEFF_TRACE_VERSION,
               .stream = number_,
               .sequence = file_.chunks() - 1,
               .base_ticks = base.ticks,
               .base_ns = base.ns,
               .os_thread = os_thread_.load(std::memory_order_relaxed),
               .header_bytes = sizeof *header,
               .sealed_bytes = 0,
               .checksum = 0,
               .sizes = {},
               .ring = file_.ring(),
               .unused = {}};
    std::memcpy(header->sizes, kRecordSizes.of, sizeof kRecordSizes.of);
    std::atomic_ref<std::uint64_t>(header->magic).store(TEFF_TRACE_MAGIC, std::memory_order_release); // [trace-1]
    cursor_.at = chunk + sizeof(teff_chunk_header);
    chunk_end_ = chunk + TEFF_TRACE_CHUNK_BYTES;
    cursor_.end = prepares_ ? chunk + kFirstPart : chunk_end_;
    cursor_.base = base.ticks;
    last_ = {};
    if (file_.ring() != 0) forget_places();
    at_once_ = nullptr;
    behind_team_size_ = nullptr; // a buffer is at the same address again
    told_processor_ = 0;         // each chunk tells it: what was told meanwhile may be lost
}

void Stream::write_clock() {
    const Ticks now = base::ticks();
    append<TEFF_REC_CLOCK>(0, now, teff_rec_clock{0, now, base::monotonic_ns(), 0});
}

// [append-1] No handler adds a record between the reading of the sums and their place in the chunk.
void Stream::write_sums() {
    char* const at = begin_record(sizeof(teff_rec_sums));
    if (at == nullptr) return;
    store<TEFF_REC_SUMS>(at, 0, base::ticks(), sums_.all());
    end_record();
}

void Stream::note_own_thread() {
    os_thread_.store(static_cast<std::uint32_t>(call(SYS_gettid)), std::memory_order_relaxed);
}

void Stream::write_thread(std::uint8_t flags) {
    const bool is_told = are_switches_told() && (flags & TEFF_THREAD_BEGINS) == 0;
    if (is_told) flags |= TEFF_THREAD_TOLD;
    const Ticks now = base::ticks();
    const Ticks under_way = own_time_began_ != 0 ? length(own_time_began_, now) : 0;
    cpu_time_next_ = now + cpu_time_every_;
    const Switches switches = own_switches();
    append<TEFF_REC_THREAD>(flags, now,
                            teff_rec_thread{0, cpu_ns(CLOCK_THREAD_CPUTIME_ID), recorder_ticks_ + under_way,
                                            os_thread_.load(std::memory_order_relaxed), switches.waits,
                                            switches.preemptions});
    if (counters_.count() != 0) write_counts_of_thread();
}

// What the thread has used, and what its rings hold. Returns false if the recorder must not call.
bool Stream::write_thread_so_far() {
    if (!has_rings()) {
        if (!may_call_now()) return false;
        return write_thread(0), true;
    }
    const Guest guest; // as the rings are no child's
    if (!guest.may_call() || !cursor_.is_ours) return false;
    write_samples();
    look_after_signal(guest);
    return write_thread(0), true;
}

// Handlers of signals may come in between: each of them appends whole records.
void Stream::tell_cpu_time() {
    cpu_time_next_ = kNever;
    if (cursor_.at == nullptr) return; // the next chunk begins with one
    const OwnTime time(*this);
    if (write_thread_so_far()) end_window_if_over(this);
}

// Only where it fits: the next chunk tells, and nothing counts as lost.
void Stream::tell_processor(Ticks now, unsigned processor) {
    if (cursor_.is_storing) return; // [append-1]
    (void)set_storing(true);
    char* const at = cursor_.at;
    if (has_room(at, sizeof(teff_rec_moved))) { // [fork-1]
        cursor_.at = at + sizeof(teff_rec_moved);
        store<TEFF_REC_MOVED>(at, 0, now, teff_rec_moved{0, processor, 0, {}});
        told_processor_ = processor + 1;
    }
    end_record();
}

void Stream::write_preparation() {
    const ChunkFile::Preparation* const work = file_.preparation();
    if (work == nullptr) return;
    append<TEFF_REC_PREPARED>(0, work->began, teff_rec_prepared{0, work->ticks, work->processor, 0, 0});
}

void Stream::write_lost() {
    if (lost_records() != 0) append<TEFF_REC_LOST>(0, base::ticks(), teff_rec_lost{0, lost_records(), {}});
}

std::uint64_t Stream::thread_cpu_ns() const {
    const std::uint32_t thread = os_thread_.load(std::memory_order_relaxed);
    return thread == 0 ? 0 : cpu_ns(clock_of_thread(thread));
}

void Stream::note_turns(const Turns& turns) {
    if (!cursor_.is_ours) return;
    turns_.store(turns.turns, std::memory_order_relaxed);
    hasty_turns_.store(turns.hasty_turns, std::memory_order_relaxed);
    hasty_ticks_.store(turns.hasty_ticks, std::memory_order_relaxed);
}

Stream::Turns Stream::turns() const {
    return {.turns = turns_.load(std::memory_order_relaxed),
            .hasty_turns = hasty_turns_.load(std::memory_order_relaxed),
            .hasty_ticks = hasty_ticks_.load(std::memory_order_relaxed)};
}

// More than 48 bits: the end lies before the beginning, by little, or after it by a day.
Ticks Stream::odd_length(Ticks ticks) {
    if (!is_backwards(ticks)) return kTicksMask;
    const Guest guest; // a signal's handler may fork: no folder is left in its child
    if (cursor_.is_ours && file_.folder().first_to_say_step_back()) {
        say(guest,
            "%s: the processors' time-stamp counter has gone back by %llu ticks; what the recording has across "
            "such a step has no length",
            file_.folder().path(), static_cast<unsigned long long>(0 - ticks));
    }
    return 0;
}

void Stream::close() {
    if (cursor_.at == nullptr) return;
    fragment_ends();
    write_clock();
    end_thread();
    write_lost();
}

} // namespace teff::probe::trace
