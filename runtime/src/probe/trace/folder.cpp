// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include "teff_trace.h"

namespace teff::probe::trace {

namespace {

static_assert(TEFF_TRACE_CHUNK_BYTES == 1u << 20, "chunks are counted as MiB");

constexpr mode_t kForOwner = S_IRWXU; // whatever the umask says: the recorder opens the folder again

// What getdents64 fills in.
struct Entry {
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t bytes;
    unsigned char type;
    char name[];
};

bool is_dots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// 0: it is. Else an errno value.
int check_empty(const char* path) {
    const long folder = call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0) return static_cast<int>(-folder);
    alignas(Entry) char entries[1024];
    long bytes;
    while ((bytes = call(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < bytes; at += reinterpret_cast<const Entry*>(entries + at)->bytes)
            if (!is_dots(reinterpret_cast<const Entry*>(entries + at)->name)) return ENOTEMPTY;
    call(SYS_close, folder);
    return static_cast<int>(-bytes);
}

constexpr const char* kCount = "chunks";
constexpr const char* kNoRoom = "full";
constexpr int kMostOfOneNumber = 1000; // recordings of one process number: it may have been used again

// Some file systems know of no size, and say 0.
std::uint64_t free_on(const struct statfs& disk) {
    return disk.f_blocks == 0 ? ~std::uint64_t{0} : std::uint64_t{disk.f_bavail} * disk.f_bsize;
}

bool lies_in_memory(const struct statfs& disk) { return disk.f_type == TMPFS_MAGIC || disk.f_type == RAMFS_MAGIC; }

int look_up(const char* path, struct stat& status) {
    return static_cast<int>(-call(SYS_newfstatat, AT_FDCWD, path, &status, 0));
}

} // namespace

Folder::Folder(std::optional<std::uint64_t> limit_MiB)
    : most_chunks_(limit_MiB.value_or(kDefaultMost_MiB)), default_limit_(!limit_MiB.has_value()) {
    if (limit_MiB == 0) most_chunks_ = ~std::uint64_t{0};
}

int Folder::note_path(std::string_view wanted) {
    std::size_t used = 0;
    if (wanted.front() != '/') {
        const long bytes = call(SYS_getcwd, path_, sizeof path_);
        if (bytes < 0) return static_cast<int>(-bytes);
        if (path_[0] != '/') return ENOENT; // the kernel's "(unreachable)": outside of the root
        used = static_cast<std::size_t>(bytes) - 1;
        path_[used++] = '/';
    }
    if (used + wanted.size() >= sizeof path_) return ENAMETOOLONG;
    std::memcpy(path_ + used, wanted.data(), wanted.size());
    shared_bytes_ = used + wanted.size();
    path_[shared_bytes_] = '\0';
    return 0;
}

bool Folder::note_session(std::string_view session) {
    Identity noted;
    const char* const end = session.data() + session.size();
    const auto [colon, error] = std::from_chars(session.data(), end, noted.device);
    if (error != std::errc{} || colon == end || *colon != ':') return false;
    const auto [last, second_error] = std::from_chars(colon + 1, end, noted.inode);
    if (second_error != std::errc{} || last != end) return false;
    shared_identity_ = noted;
    return true;
}

// 0, or an errno value. EEXIST is none: made_ says which it was.
int Folder::make(const char* path) {
    const long made = call(SYS_mkdirat, AT_FDCWD, path, 0777);
    if (made < 0 && made != -EEXIST) return static_cast<int>(-made);
    struct stat status;
    if (const int error = look_up(path, status); error != 0) return error;
    if (!S_ISDIR(status.st_mode)) return ENOTDIR;
    made_ = made == 0;
    if (made_ && (status.st_mode & kForOwner) != kForOwner)
        call(SYS_fchmodat, AT_FDCWD, path, (status.st_mode & 07777) | kForOwner);
    identity_ = identity_of(status);
    return 0;
}

int Folder::claim() {
    if (const int error = make(path_); error != 0) return error;
    shared_ = identity_ == shared_identity_;
    const int error = made_ ? 0 : check_empty(path_);
    if (error == 0) shared_identity_ = identity_;
    return error;
}

// Each process of thousands would leave its own small files beyond the limit. The first that finds
// no space leaves the file kNoRoom, by which those after it know of that.
int Folder::check_room() const {
    const long folder = open();
    if (folder < 0) return static_cast<int>(-folder);
    int error = 0;
    if (!leaves_enough_free(folder)) {
        const long first = call(SYS_openat, folder, kNoRoom, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (first >= 0) call(SYS_close, first);
        error = first == -EEXIST ? kFull : kFullUnsaid;
    }
    call(SYS_close, folder);
    return error;
}

int Folder::claim_further() {
    if (const int error = check_room(); error != 0) return error;
    const std::size_t room = sizeof path_ - shared_bytes_;
    const long process = call(SYS_getpid);
    for (int number = 1; number < kMostOfOneNumber; ++number) {
        char* const own = path_ + shared_bytes_;
        int bytes = std::snprintf(own, room, "/process-%ld", process);
        if (number > 1) bytes = std::snprintf(own, room, "/process-%ld-%d", process, number);
        const int error = static_cast<std::size_t>(bytes) >= room ? ENAMETOOLONG : make(path_);
        if (error == 0 && made_) return 0;
        if (error != 0 && error != ENOTDIR) return error;
    }
    return ENOTEMPTY;
}

void Folder::begin_anew() {
    path_[shared_bytes_] = '\0';
    made_ = shared_ = false;
    chunks_.store(0, std::memory_order_relaxed);
    for (std::atomic<bool>* said : {&said_limit_, &said_failure_, &said_step_back_})
        said->store(false, std::memory_order_relaxed);
    failure_.doing.store(nullptr, std::memory_order_relaxed);
}

void Folder::disclaim() {
    if (made_) call(SYS_unlinkat, AT_FDCWD, path_, AT_REMOVEDIR);
}

long Folder::open() const {
    const long folder = call(SYS_openat, AT_FDCWD, path_, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0) return folder;
    struct stat status;
    const long error = call(SYS_fstat, folder, &status);
    if (error < 0) return error;
    return identity_of(status) == identity_ ? folder : -ENOENT;
}

bool Folder::take_chunk() {
    if (chunks_.fetch_add(1, std::memory_order_relaxed) < most_chunks_) return true;
    give_chunk_back();
    return false;
}

// What is shared, if it is still the same.
long Folder::open_shared() const {
    const long own = open();
    if (own < 0 || identity_ == shared_identity_) return own;
    const long shared = call(SYS_openat, own, "..", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    call(SYS_close, own);
    if (shared < 0) return shared;
    struct stat status;
    const bool is_same = call(SYS_fstat, shared, &status) == 0 && identity_of(status) == shared_identity_;
    return is_same ? shared : (call(SYS_close, shared), -ENOENT);
}

long Folder::open_count(int flags) const {
    const long folder = open_shared();
    if (folder < 0) return folder;
    const long count = call(SYS_openat, folder, kCount, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    call(SYS_close, folder);
    return count;
}

std::uint64_t Folder::taken_by_all() const {
    const std::uint64_t own = chunks_.load(std::memory_order_relaxed); // the new one is counted, but not there yet
    const long count = open_count(O_PATH);
    struct stat status;
    const bool known = count >= 0 && call(SYS_fstat, count, &status) == 0;
    if (count >= 0) call(SYS_close, count);
    return known ? std::max<std::uint64_t>(own, static_cast<std::uint64_t>(status.st_size) + 1) : own;
}

void Folder::count_chunk() const {
    const long count = open_count(O_WRONLY | O_APPEND | O_CREAT);
    if (count < 0) return;
    call(SYS_write, count, "c", 1);
    call(SYS_close, count);
}

bool Folder::leaves_enough_free(long file) const {
    const std::uint64_t taken = taken_by_all();
    if (taken > most_chunks_) return false;
    struct statfs disk;
    if (!default_limit_ || call(SYS_fstatfs, file, &disk) < 0) return true;
    std::uint64_t free_bytes = free_on(disk);
    if (lies_in_memory(disk)) free_bytes = std::min(free_bytes, memory_groups_.left_bytes());
    return taken < free_bytes / TEFF_TRACE_CHUNK_BYTES;
}

} // namespace teff::probe::trace
