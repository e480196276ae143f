// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/folder.h"

#include <algorithm>
#include <cerrno>
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
    path_[used + wanted.size()] = '\0';
    return 0;
}

int Folder::claim() {
    const long made = call(SYS_mkdirat, AT_FDCWD, path_, 0777);
    if (made < 0 && made != -EEXIST) return static_cast<int>(-made);
    struct stat status;
    if (const int error = look_up(path_, status); error != 0) return error;
    if (!S_ISDIR(status.st_mode)) return ENOTDIR;
    made_ = made == 0;
    if (made_ && (status.st_mode & kForOwner) != kForOwner)
        call(SYS_fchmodat, AT_FDCWD, path_, (status.st_mode & 07777) | kForOwner);
    identity_ = identity_of(status);
    return made_ ? 0 : check_empty(path_);
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

bool Folder::leaves_enough_free(long file) const {
    struct statfs disk;
    if (!default_limit_ || call(SYS_fstatfs, file, &disk) < 0) return true;
    std::uint64_t free_bytes = free_on(disk);
    if (lies_in_memory(disk)) free_bytes = std::min(free_bytes, memory_groups_.left_bytes());
    const std::uint64_t taken = chunks_.load(std::memory_order_relaxed);
    return taken < free_bytes / TEFF_TRACE_CHUNK_BYTES; // the new one is counted, but not there yet
}

} // namespace teff::probe::trace
