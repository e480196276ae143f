// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/stream.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>

#include "probe/trace/calls.h"

namespace teff::probe::trace {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
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

Stream::Stream(Folder& folder, std::uint32_t number, Instant origin, bool keeps_from_children)
    : keeps_from_children_(keeps_from_children), file_(folder, number), origin_(origin), number_(number) {
    cursor_.is_ours = true;
}

Stream* Stream::make(StreamMemory& memory, Folder& folder, std::uint32_t number, Instant origin) {
    void* const place = memory.take(sizeof(Stream));
    return place != nullptr ? ::new (place) Stream(folder, number, origin, memory.is_kept_from_children()) : nullptr;
}

void Stream::unmake(Stream* stream) {
    if (stream->cursor_.end != nullptr)
        call(SYS_munmap, stream->cursor_.end - TEFF_TRACE_CHUNK_BYTES, TEFF_TRACE_CHUNK_BYTES);
    stream->~Stream();
}

void Stream::begin_thread() {
    adds_site_.store(false, std::memory_order_relaxed);     // a thread before may have been cancelled there
    if (file_.chunks() == 0) return void(try_next_chunk()); // which says so
    if (cursor_.at == nullptr) return;
    const Guest guest;
    if (!guest.may_call()) return;
    note_own_thread();
    write_thread(TEFF_THREAD_BEGINS);
}

void Stream::end_thread() {
    if (cursor_.at == nullptr || os_thread_.load(std::memory_order_relaxed) == 0) return;
    const Guest guest;
    if (guest.may_call()) write_thread(TEFF_THREAD_ENDS);
    os_thread_.store(0, std::memory_order_relaxed);
}

bool Stream::next_chunk() {
    if (try_next_chunk()) return true;
    lost_.store(lost_records() + 1, std::memory_order_relaxed);
    return false;
}

bool Stream::try_next_chunk() {
    if (!may_try()) return false;
    const Guest guest;
    if (!open_next_chunk(guest)) return false;
    write_clock();
    write_thread(file_.chunks() == 1 ? TEFF_THREAD_BEGINS : 0);
    write_lost();
    return true;
}

bool Stream::open_next_chunk(const Guest& guest) {
    const OwnTime time(*this);
    ChunkFile::Failure failure;
    char* const chunk = file_.next(guest, keeps_from_children_, failure);
    if (chunk == nullptr) return give_up(guest, failure), false;
    begin_chunk(chunk);
    return true;
}

void Stream::give_up(const Guest& guest, const ChunkFile::Failure& failure) {
    const bool limit = failure.reason == ChunkFile::kLimit;
    cursor_.at = cursor_.end = nullptr;
    try_again_at_ = limit ? kNever : lost_records() + kRecordsOfAChunk;
    Folder& folder = file_.folder();
    if (limit && folder.first_to_say_limit()) say_limit(guest, folder);
    if (!limit && failure.reason != -ECANCELED && folder.first_to_say_failure())
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
               .reserved = {},
               .sizes = {}};
    std::memcpy(header->sizes, kRecordSizes.of, sizeof kRecordSizes.of);
    std::atomic_ref<std::uint64_t>(header->magic).store(TEFF_TRACE_MAGIC, std::memory_order_release); // [trace-1]
    cursor_.at = chunk + sizeof(teff_chunk_header);
    cursor_.end = chunk + TEFF_TRACE_CHUNK_BYTES;
    cursor_.base = base.ticks;
}

void Stream::write_clock() {
    const Ticks now = base::ticks();
    append<TEFF_REC_CLOCK>(0, now, teff_rec_clock{0, now, base::monotonic_ns(), 0});
}

void Stream::note_own_thread() {
    os_thread_.store(static_cast<std::uint32_t>(call(SYS_gettid)), std::memory_order_relaxed);
}

void Stream::write_thread(std::uint8_t flags) {
    append<TEFF_REC_THREAD>(flags, base::ticks(),
                            teff_rec_thread{0, cpu_ns(CLOCK_THREAD_CPUTIME_ID), recorder_ticks_,
                                            os_thread_.load(std::memory_order_relaxed), 0});
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
    in_place_.store(turns.in_place, std::memory_order_relaxed);
    hasty_turns_.store(turns.hasty_turns, std::memory_order_relaxed);
    hasty_ticks_.store(turns.hasty_ticks, std::memory_order_relaxed);
}

Stream::Turns Stream::turns() const {
    return {.turns = turns_.load(std::memory_order_relaxed),
            .in_place = in_place_.load(std::memory_order_relaxed),
            .hasty_turns = hasty_turns_.load(std::memory_order_relaxed),
            .hasty_ticks = hasty_ticks_.load(std::memory_order_relaxed)};
}

// More than 48 bits: the end lies before the beginning, by little, or after it by a day.
Ticks Stream::odd_length(Ticks ticks) {
    if (!is_backwards(ticks)) return kTicksMask;
    if (cursor_.is_ours && file_.folder().first_to_say_step_back()) {
        const Guest guest;
        say(guest,
            "%s: the processors' time-stamp counter has gone back by %llu ticks; what the recording has across "
            "such a step has no length",
            file_.folder().path(), static_cast<unsigned long long>(0 - ticks));
    }
    return 0;
}

std::uint32_t Stream::add_module() {
    const std::uint32_t number = modules_.next();
    const std::size_t length = std::strlen(loaded_.path);
    const std::size_t bytes = sizeof(teff_rec_module) + (length + 15) / 16 * 16;
    if (room() < bytes && !next_chunk()) return 0;
    char* const at = cursor_.at;
    cursor_.at = at + bytes;
    auto* record = reinterpret_cast<teff_rec_module*>(at);
    record->module = number;
    record->path_bytes = static_cast<std::uint32_t>(length);
    record->bias = loaded_.bias;
    std::memcpy(at + sizeof(teff_rec_module), loaded_.path, length);
    std::atomic_ref<std::uint64_t>(record->head).store(TEFF_REC_MODULE, std::memory_order_release); // [trace-1]
    modules_.add(loaded_.identity);
    return number;
}

// No handler and no cancellation comes while this thread holds a lock of the dynamic linker.
bool Stream::look_for_module(std::uintptr_t address) {
    if (finds_modules_without_lock()) return find_loaded_module(address, loaded_);
    const Guest guest;
    return find_loaded_module(address, loaded_);
}

// 0: in none, or it could not be stored.
std::uint32_t Stream::module_of(std::uintptr_t address) {
    if (address == 0 || !look_for_module(address)) return 0;
    const std::uint32_t known = modules_.find(loaded_.identity);
    return known != 0 ? known : add_module();
}

std::uint32_t Stream::look_again(const void* call_site, const void* function) {
    if (cursor_.at == nullptr && !may_try()) return 0; // while nothing can be stored, losing costs little
    const std::uint64_t objects = objects_at(call_site, function);
    const std::uint32_t known = sites_.confirm(call_site, function, objects);
    return known != 0 ? known : add_site(call_site, function, objects);
}

// It makes no system call, which a filter might not know. So handlers of signals may come in
// between: places that are new to them are not stored.
std::uint32_t Stream::add_site(const void* call_site, const void* function, std::uint64_t objects) {
    if (adds_site_.load(std::memory_order_relaxed)) return 0;
    adds_site_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // [site-1]
    const std::uint32_t site = write_site(call_site, function);
    if (site != 0) {
        if (sites_.is_full()) make_room_for_site();
        sites_.add(call_site, function, objects);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst); // [site-1]
    adds_site_.store(false, std::memory_order_relaxed);
    return site;
}

// A call at the end of a function may be a jump, and then returns to the function's caller: if that
// is in another object than what the construct runs, it says nothing of the construct. Where what
// runs is the runtime's own, only the call says something.
std::uint32_t Stream::write_site(const void* call_site, const void* function) {
    const OwnTime time(*this);
    auto body = reinterpret_cast<std::uintptr_t>(function);
    auto from = reinterpret_cast<std::uintptr_t>(call_site);
    std::uint32_t module = module_of(from);
    if (const std::uint32_t other = module_of(body); other != 0 && other != module) {
        const bool is_runtime = loaded_.covers(reinterpret_cast<std::uintptr_t>(&find_loaded_module));
        if (is_runtime) body = 0;
        else module = other, from = body + 1; // a reader looks before the return address
    }
    const std::uint32_t site = sites_.next();
    const bool stored = append<TEFF_REC_SITE>(0, base::ticks(), teff_rec_site{0, site, module, from, body});
    return stored ? site : 0;
}

void Stream::make_room_for_site() {
    const Guest guest;
    if (guest.may_call()) (void)sites_.grow();
}

void Stream::close() {
    if (cursor_.at == nullptr) return;
    write_clock();
    end_thread();
    write_lost();
}

} // namespace teff::probe::trace
