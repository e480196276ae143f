// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/chunk_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>

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
    if (!folder_.take_chunk()) return failure.reason = kLimit, nullptr;
    auto work = [&] { open_and_map(keep_from_children, failure); };
    if (const int error = run_apart(guest, stack_, work); error != 0)
        failure = {"extended, for want of a thread to do it", -error};
    if (failure.reason == kNone) return ++chunks_, place_;
    folder_.give_chunk_back();
    return nullptr;
}

void ChunkFile::open_and_map(bool keep_from_children, Failure& failure) {
    const long file = open(failure);
    if (file < 0) return;
    if (!folder_.leaves_enough_free(file)) return void(failure.reason = kLimit);
    failure = {"extended", reserve(file, chunks_ * kChunk)};
    if (failure.reason != kNone) return;
    failure = {"mapped", map(file, keep_from_children)};
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

// Where it fails, the chunk before may be gone from memory, or may not, and its place belongs to
// others.
long ChunkFile::map(long file, bool keep_from_children) {
    constexpr int kProtection = PROT_READ | PROT_WRITE;
    const int flags = MAP_SHARED | (place_ != nullptr ? MAP_FIXED : 0);
    const long at = call(SYS_mmap, place_, kChunk, kProtection, flags, file, chunks_ * kChunk);
    place_ = nullptr;
    if (is_error(at)) return at;
    place_ = std::bit_cast<char*>(at);
    if (keep_from_children) call(SYS_madvise, place_, kChunk, MADV_DONTFORK);
    if (!stores_would_fault(place_)) return 0;
    call(SYS_munmap, place_, kChunk);
    place_ = nullptr;
    return -ENOSPC;
}

} // namespace teff::probe::trace
