// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/chunk_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <utility>

#include "probe/trace/chunk_seal.h"
#include "teff_trace.h"

namespace teff::probe::trace {

namespace {

constexpr std::uint64_t kChunk = TEFF_TRACE_CHUNK_BYTES;
constexpr mode_t kForOwner = S_IRUSR | S_IWUSR; // whatever the umask says: it is opened again

// Where the file system cannot reserve, what is written is there.
long write_zeros(long file, std::uint64_t from) {
    alignas(16) static constexpr char kZeros[4096] = {};
    for (std::uint64_t done = 0; done < kChunk;) {
        const std::size_t bytes = std::min<std::uint64_t>(sizeof kZeros, kChunk - done);
        const long written = call(SYS_pwrite64, file, kZeros, bytes, from + done);
        if (written <= 0) return written < 0 ? written : -ENOSPC;
        done += static_cast<std::uint64_t>(written);
    }
    return 0;
}

long reserve(long file, std::uint64_t from) {
    const long error = call(SYS_fallocate, file, 0, from, kChunk);
    const bool cannot = error == -EOPNOTSUPP || error == -ENOSYS;
    return cannot ? write_zeros(file, from) : error;
}

void give_back(long file, std::uint64_t from, std::uint64_t bytes) {
    constexpr int kFreeBlocks = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    call(SYS_fallocate, file, kFreeBlocks, from, bytes);
}

std::uint64_t size_of(long file) {
    struct stat status;
    return call(SYS_fstat, file, &status) < 0 ? 0 : static_cast<std::uint64_t>(status.st_size);
}

// Writes a whole chunk. Returns 0 or minus an errno value. In pieces: for a whole MiB the kernel
// takes large blocks of memory. Where these are scarce, or where a virtual machine has not used
// them yet, a page then costs ten times as much (measured on ext4: 10 us, in these pieces 1 us).
long write_chunk(long file, std::uint64_t to, const char* chunk) {
    constexpr std::uint64_t kPiece = 128 << 10;
    for (std::uint64_t done = 0; done < kChunk;) {
        const std::uint64_t bytes = std::min(kPiece, kChunk - done);
        const long written = call(SYS_pwrite64, file, chunk + done, bytes, to + done);
        if (written <= 0) return written < 0 ? written : -ENOSPC;
        done += static_cast<std::uint64_t>(written);
    }
    return 0;
}

teff_chunk_header* header_of(char* chunk) { return reinterpret_cast<teff_chunk_header*>(chunk); }

bool has_begun(char* chunk) {
    return chunk != nullptr &&
           std::atomic_ref<std::uint64_t>(header_of(chunk)->magic).load(std::memory_order_acquire) != 0; // [trace-1]
}

// A reader that finds a chunk without magic takes its copy. SIGKILL comes between two instructions,
// so it is enough that the compiler keeps the order of the stores.
void clear(char* chunk) {
    std::atomic_ref<std::uint64_t>(header_of(chunk)->magic).store(0, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::memset(chunk, 0, kChunk);
}

// EAGAIN: the process locks all that it maps (mlockall), and may lock no more (RLIMIT_MEMLOCK).
bool is_short_of_memory(long reason) { return reason == -ENOMEM || reason == -EAGAIN; }

bool has_records(long file, std::uint64_t from) {
    std::array<std::uint64_t, 512> words;
    const long bytes = call(SYS_pread64, file, words.data(), sizeof words, from);
    return bytes != sizeof words ||
           std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; });
}

// The used bytes of the chunk at `begin`: up to the last page with records. The records follow each
// other from the beginning of the chunk.
std::uint64_t used_bytes(long file, std::uint64_t begin) {
    constexpr std::uint64_t kBlock = 4096;
    std::uint64_t used = 0, unused = kChunk / kBlock;
    while (used < unused) {
        const std::uint64_t middle = (used + unused) / 2;
        if (has_records(file, begin + middle * kBlock)) used = middle + 1;
        else unused = middle;
    }
    return used * kBlock;
}

// One call instead of 256 page faults. Kernels before Linux 5.14 do not know it, and leave the
// faults. Where it finds that a store would raise SIGBUS, the disk has not kept what it promised.
bool stores_would_fault(char* chunk) {
#ifdef MADV_POPULATE_WRITE
    const long error = call(SYS_madvise, chunk, kChunk, MADV_POPULATE_WRITE);
    return error == -EFAULT || error == -EHWPOISON;
#else
    return (void)chunk, false;
#endif
}

} // namespace

ChunkFile::ChunkFile(Folder& folder, std::uint32_t number, bool has_two) : folder_(folder), has_two_(has_two) {
    std::snprintf(name_, sizeof name_, "stream-%04u.bin", number);
}

char* ChunkFile::next(const Guest& guest, bool keep_from_children, Failure& failure) {
    failure = {"", kNone};
    // A chunk that is there already begins with system calls of the stream, too.
    char* const prepared = guest.may_call() ? take_prepared() : nullptr;
    was_prepared_ = prepared != nullptr;
    if (was_prepared_) return prepared;
    failure.reason = -ECANCELED;
    if (!try_ahead(Ahead::kNone, Ahead::kBusy)) return nullptr; // the recording is over
    failure.reason = take_space() ? kNone : kLimit;
    unsigned buffer = next_buffer();
    auto work = [&] {
        make_ready(buffer, keep_from_children, failure);
        if (!is_short_of_memory(failure.reason) || chunks() == 0 || buffers_[buffer] != nullptr) return;
        has_two_ = false; // there is no memory for the second one
        buffer = next_buffer();
        make_ready(buffer, keep_from_children, failure);
    };
    const bool has_space = failure.reason == kNone;
    if (const int error = has_space ? run_apart(guest, stack_, work) : 0; error != 0)
        failure = {"extended, for want of a thread to do it", -error};
    if (has_space && failure.reason != kNone) give_space_back();
    char* const chunk = failure.reason == kNone ? take(buffer) : nullptr;
    leave_busy(Ahead::kNone);
    return chunk;
}

void ChunkFile::prepare(const Guest& guest, bool keep_from_children) {
    if (!has_two_ || !try_ahead(Ahead::kNone, Ahead::kBusy)) return;
    if (!overwrites() && !folder_.take_spare_chunk()) return leave_busy(Ahead::kNone);
    keeps_from_children_ = keep_from_children;
    const auto work = [](void* file) { static_cast<ChunkFile*>(file)->prepare_next(); };
    const bool started = thread_.start(guest, stack_, work, this) == 0;
    if (!started) give_space_back();
    leave_busy(started ? Ahead::kUnderWay : Ahead::kNone);
}

void ChunkFile::prepare_next() {
    unsigned processor = ~0u; // not known
    (void)call(SYS_getcpu, &processor, nullptr, nullptr);
    const base::Ticks began = base::ticks();
    make_ready(next_buffer(), keeps_from_children_, ahead_failure_);
    preparation_ = {.began = began, .ticks = base::ticks() - began, .processor = processor};
}

char* ChunkFile::take_prepared() {
    if (ahead_.load(std::memory_order_relaxed) != Ahead::kUnderWay) return nullptr;
    const bool done = thread_.finish() && ahead_failure_.reason == kNone;
    if (!try_ahead(Ahead::kUnderWay, Ahead::kBusy)) return nullptr;
    if (!done) give_space_back();
    char* const chunk = done ? take(next_buffer()) : nullptr;
    leave_busy(Ahead::kNone);
    return chunk;
}

// Returns false if the stream's thread is about to change the state.
bool ChunkFile::try_end() {
    const Ahead now = ahead_.load(std::memory_order_acquire); // [ahead-1]
    return now == Ahead::kEnded || (now != Ahead::kBusy && try_ahead(now, Ahead::kEnded));
}

// Returns false if others have not left the buffers alone for a long time, as on a disk that does
// not answer. The kernel wakes one thread when the thread apart ends, and that is the stream's; so
// this one looks again and again.
bool ChunkFile::end() {
    constexpr int kTries = 20'000;
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 100'000};
    for (int i = 0; i < kTries; ++i) {
        if (try_end() && thread_.is_over()) return true; // the state first: no thread starts after it
        call(SYS_nanosleep, &kPause, nullptr);
    }
    return false;
}

// A store behind the end of a file would raise SIGBUS. A last buffer may have been taken and not
// begun: then the chunk in the other one is the last.
template <class Work> void ChunkFile::with_ended_file(Work&& work) {
    if (chunks_.load(std::memory_order_acquire) == 0 || !end()) return; // [tail-1]
    const long folder = folder_.open();
    const long file = folder < 0 ? folder : open_again(folder);
    const unsigned made = buffers_[1] != nullptr ? 2 : 1;
    if (file >= 0 && size_of(file) >= made * kChunk) {
        const auto sequence = [this](unsigned buffer) {
            return has_begun(buffers_[buffer]) ? header_of(buffers_[buffer])->sequence + 1 : 0;
        };
        const unsigned last = sequence(1) > sequence(0) ? 1 : 0;
        work(file, last, 1 - last);
    }
    if (file >= 0) call(SYS_close, file);
    if (folder >= 0) call(SYS_close, folder);
}

std::uint64_t ChunkFile::seal() {
    std::uint64_t bytes = 0;
    with_ended_file([&](long, unsigned last, unsigned other) {
        if (has_begun(buffers_[other])) seal_left_chunk(buffers_[other]);
        if (!has_begun(buffers_[last])) return;
        bytes = header_of(buffers_[last])->sequence * kChunk + seal_last_chunk(buffers_[last]);
    });
    return bytes;
}

// The file keeps its length: the stream's thread may still run, and store. What it stores there may
// be lost, but a shorter file would end the program by SIGBUS, and a reader.
void ChunkFile::trim() {
    with_ended_file([&](long file, unsigned last, unsigned other) {
        if (has_begun(buffers_[last])) trim_tail(file, last);
        if (buffers_[other] != nullptr && !has_begun(buffers_[other])) trim_empty(file, other);
    });
}

void ChunkFile::trim_empty(long file, unsigned buffer) { give_back(file, buffer * kChunk, kChunk); }

// A thread that still stores can store this many bytes before it reaches the part that was given
// back.
void ChunkFile::trim_tail(long file, unsigned buffer) {
    constexpr std::uint64_t kMargin = 64 << 10;
    const std::uint64_t begin = buffer * kChunk, kept = used_bytes(file, begin) + kMargin;
    if (kept < kChunk) give_back(file, begin + kept, kChunk - kept);
}

void ChunkFile::settle() {
    if (ahead_.load(std::memory_order_relaxed) == Ahead::kUnderWay) (void)thread_.finish();
}

void ChunkFile::unmap() {
    settle();
    for (char*& buffer : buffers_)
        if (char* const at = std::exchange(buffer, nullptr); at != nullptr) call(SYS_munmap, at, kChunk);
}

void ChunkFile::make_ready(unsigned buffer, bool keep_from_children, Failure& failure) {
    const long file = open(failure);
    if (file < 0) return;
    if (!folder_.leaves_enough_free(file)) return void(failure.reason = kLimit);
    char* const chunk = buffers_[buffer];
    if (chunk != nullptr) failure = {"extended", empty_buffer(file, chunk)};
    else if (failure = {"extended", reserve(file, buffer * kChunk)}; failure.reason == kNone)
        failure = {"mapped", make_buffer(file, buffer, keep_from_children)};
    if (failure.reason == -EAGAIN) failure.doing = "mapped, as no more memory may be locked";
    if (failure.reason == kNone && !overwrites()) folder_.count_chunk();
}

// Where the disk cannot reserve, the copy itself says that it is full.
long ChunkFile::empty_buffer(long file, char* chunk) {
    if (!has_begun(chunk)) return 0; // a chunk was prepared, and could not be counted
    seal_left_chunk(chunk);
    const std::uint64_t places = ring_ != 0 ? ring_ - buffers() : 0;
    const bool is_fresh = places == 0 || copied_ < places;
    const std::uint64_t to = (buffers() + (places == 0 ? copied_ : copied_ % places)) * kChunk;
    if (is_fresh) {
        const long error = call(SYS_fallocate, file, 0, to, kChunk);
        if (error < 0 && error != -EOPNOTSUPP && error != -ENOSYS) return error;
    }
    if (const long error = write_chunk(file, to, chunk); error != 0) return error;
    ++copied_;
    clear(chunk);
    return 0;
}

long ChunkFile::open(Failure& failure) {
    const long folder = folder_.open();
    const long file = folder < 0 ? folder : made_ ? open_again(folder) : make(folder);
    if (file < 0) failure = {made_ ? "opened" : "made", file};
    return file;
}

long ChunkFile::make(long folder) {
    const long file = call(SYS_openat, folder, name_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return file;
    const long error = note_identity(file);
    made_ = error == 0;
    if (made_) return file;
    call(SYS_unlinkat, folder, name_, 0);
    return error;
}

long ChunkFile::note_identity(long file) {
    struct stat status;
    if (const long error = call(SYS_fstat, file, &status); error < 0) return error;
    if ((status.st_mode & kForOwner) != kForOwner) call(SYS_fchmod, file, (status.st_mode & 07777) | kForOwner);
    identity_ = identity_of(status);
    return 0;
}

long ChunkFile::open_again(long folder) const {
    const long file = call(SYS_openat, folder, name_, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
    if (file < 0) return file;
    struct stat status;
    if (const long error = call(SYS_fstat, file, &status); error < 0) return error;
    return identity_of(status) == identity_ ? file : -ENOENT;
}

long ChunkFile::make_buffer(long file, unsigned buffer, bool keep_from_children) {
    constexpr int kProtection = PROT_READ | PROT_WRITE;
    const long at = call(SYS_mmap, nullptr, kChunk, kProtection, MAP_SHARED, file, buffer * kChunk);
    if (is_error(at)) return at;
    char* const chunk = std::bit_cast<char*>(at);
    if (keep_from_children) call(SYS_madvise, chunk, kChunk, MADV_DONTFORK);
    if (stores_would_fault(chunk)) {
        call(SYS_munmap, chunk, kChunk);
        return -ENOSPC;
    }
    buffers_[buffer] = chunk;
    return 0;
}

} // namespace teff::probe::trace
