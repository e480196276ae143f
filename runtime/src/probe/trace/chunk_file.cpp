// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/chunk_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <utility>

#include "probe/trace/chunk_seal.h"
#include "teff_trace.h"

namespace teff::probe::trace {

namespace {

constexpr std::size_t kChunk = TEFF_TRACE_CHUNK_BYTES;
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

// Makes the bytes of a chunk zero.
long clear(long file, std::uint64_t from) {
    constexpr int kFreeBlocks = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    const long error = call(SYS_fallocate, file, kFreeBlocks, from, kChunk);
    return error == 0 ? 0 : write_zeros(file, from);
}

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

ChunkFile::ChunkFile(Folder& folder, std::uint32_t number) : folder_(folder) {
    std::snprintf(name_, sizeof name_, "stream-%04u.bin", number);
}

char* ChunkFile::next(const Guest& guest, bool keep_from_children, Failure& failure) {
    failure = {"", kNone};
    char* const prepared = take_prepared();
    was_prepared_ = prepared != nullptr;
    if (was_prepared_) return prepared;
    if (!take_space()) return failure.reason = kLimit, nullptr;
    auto work = [&] { open_and_map(place_, keep_from_children, failure); };
    if (const int error = run_apart(guest, stack_, work); error != 0)
        failure = {"extended, for want of a thread to do it", -error};
    if (failure.reason == kNone) return count(place_);
    give_space_back();
    return nullptr;
}

void ChunkFile::prepare(const Guest& guest, bool keep_from_children) {
    if (ahead_.load(std::memory_order_relaxed) != Ahead::kNone) return;
    if (!overwrites() && !folder_.take_spare_chunk()) return;
    keeps_from_children_ = keep_from_children;
    const auto work = [](void* file) { static_cast<ChunkFile*>(file)->prepare_next(); };
    const bool started = thread_.start(guest, stack_, work, this) == 0;
    if (started) ahead_.store(Ahead::kUnderWay, std::memory_order_release); // [ahead-1]
    else give_space_back();
}

void ChunkFile::prepare_next() {
    unsigned processor = ~0u; // not known
    (void)call(SYS_getcpu, &processor, nullptr, nullptr);
    const base::Ticks began = base::ticks();
    open_and_map(other_, keeps_from_children_, ahead_failure_);
    preparation_ = {.began = began, .ticks = base::ticks() - began, .processor = processor};
}

char* ChunkFile::take_prepared() {
    if (ahead_.load(std::memory_order_relaxed) == Ahead::kNone) return nullptr;
    const bool done = thread_.finish() && ahead_failure_.reason == kNone;
    if (!try_ahead(Ahead::kUnderWay, Ahead::kNone)) return nullptr;
    if (!done) return give_space_back(), nullptr;
    std::swap(place_, other_);
    return count(place_);
}

// A last chunk that has been mapped may not have begun: then the one before it is the last.
std::uint64_t ChunkFile::seal() {
    const std::uint64_t chunks = chunks_.load(std::memory_order_acquire); // [tail-1]
    if (chunks == 0) return 0;
    const long folder = folder_.open();
    const long file = folder < 0 ? folder : open_again(folder);
    const std::uint64_t places = ring_ != 0 && chunks > ring_ ? ring_ : chunks;
    const bool has_all = file >= 0 && size_of(file) >= places * kChunk; // a store behind the end would raise SIGBUS
    std::uint64_t bytes = 0;
    for (std::uint64_t number = chunks; has_all && number > 0 && number + 2 > chunks; --number) {
        const std::size_t used = seal_chunk(file, offset(number - 1), bytes == 0);
        if (bytes == 0 && used != 0) bytes = offset(number - 1) + used;
    }
    if (file >= 0) call(SYS_close, file);
    if (folder >= 0) call(SYS_close, folder);
    return bytes;
}

// In a mapping of its own: the stream's thread may unmap its own one.
std::size_t ChunkFile::seal_chunk(long file, std::uint64_t offset, bool is_last) {
    const long at = call(SYS_mmap, nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    if (is_error(at)) return 0;
    char* const chunk = std::bit_cast<char*>(at);
    std::size_t used = 0;
    if (is_last) used = seal_last_chunk(chunk);
    else seal_left_chunk(chunk);
    call(SYS_munmap, chunk, kChunk);
    return used;
}

// The file keeps its length: the stream's thread may still run, and store. What it stores there may
// be lost, but a shorter file would end the program by SIGBUS, and a reader.
void ChunkFile::trim() {
    const std::uint64_t chunks = chunks_.load(std::memory_order_acquire); // [tail-1]
    if (chunks == 0) return;
    const long folder = folder_.open();
    const long file = folder < 0 ? folder : open_again(folder);
    if (file >= 0) {
        trim_tail(file, chunks);
        trim_prepared(file);
        call(SYS_close, file);
    }
    if (folder >= 0) call(SYS_close, folder);
}

void ChunkFile::trim_prepared(long file) {
    if (thread_.is_over() && try_ahead(Ahead::kUnderWay, Ahead::kDropped)) // [ahead-1]
        give_back(file, offset(chunks()), kChunk);
}

// A thread that still stores can store this many bytes before it reaches the part that was given
// back.
void ChunkFile::trim_tail(long file, std::uint64_t chunks) const {
    constexpr std::uint64_t kMargin = 64 << 10;
    const std::uint64_t begin = offset(chunks - 1), kept = used_bytes(file, begin) + kMargin;
    if (kept < kChunk) give_back(file, begin + kept, kChunk - kept);
}

std::uint64_t ChunkFile::offset(std::uint64_t chunk) const { return (ring_ != 0 ? chunk % ring_ : chunk) * kChunk; }

void ChunkFile::unmap() {
    if (ahead_.load(std::memory_order_relaxed) != Ahead::kNone) (void)thread_.finish();
    for (char* const place : {place_, other_})
        if (place != nullptr) call(SYS_munmap, place, kChunk);
    place_ = other_ = nullptr;
}

// What is in `place` is a chunk that the stream has left.
void ChunkFile::open_and_map(char*& place, bool keep_from_children, Failure& failure) {
    if (place != nullptr) seal_left_chunk(place);
    const long file = open(failure);
    if (file < 0) return;
    if (!folder_.leaves_enough_free(file)) return void(failure.reason = kLimit);
    failure = {"extended", overwrites() ? clear(file, offset(chunks())) : 0};
    if (failure.reason == kNone) failure.reason = reserve(file, offset(chunks()));
    if (failure.reason != kNone) return;
    failure = {"mapped", map(file, place, keep_from_children)};
    if (failure.reason == kNone && !overwrites()) folder_.count_chunk();
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

// Where it fails, the chunk that was there may be gone from memory, or may not, and its place
// belongs to others.
long ChunkFile::map(long file, char*& place, bool keep_from_children) {
    constexpr int kProtection = PROT_READ | PROT_WRITE;
    const int flags = MAP_SHARED | (place != nullptr ? MAP_FIXED : 0);
    const long at = call(SYS_mmap, place, kChunk, kProtection, flags, file, offset(chunks()));
    place = nullptr;
    if (is_error(at)) return at;
    place = std::bit_cast<char*>(at);
    if (keep_from_children) call(SYS_madvise, place, kChunk, MADV_DONTFORK);
    if (!stores_would_fault(place)) return 0;
    call(SYS_munmap, place, kChunk);
    place = nullptr;
    return -ENOSPC;
}

} // namespace teff::probe::trace
