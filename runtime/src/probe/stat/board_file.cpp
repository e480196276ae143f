// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/board_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cache_line.h"
#include "base/report.h"

namespace teff::probe::stat {

namespace {

using base::call;

static_assert(sizeof(teff_stat_header) <= TEFF_STAT_HEADER_BYTES);
static_assert(sizeof(teff_stat_worker) % base::kCacheLine == 0, "each on lines of its own");
static_assert(sizeof(teff_stat_priority) % base::kCacheLine == 0, "each on lines of its own");

// Number of workers by which a file grows: fewer if it has blocks of priorities, which are large.
constexpr std::uint32_t kRoom = 64, kRoomWithPriorities = 8;

std::uint64_t bytes_for(std::uint32_t workers) {
    return TEFF_STAT_HEADER_BYTES + std::uint64_t{workers} * sizeof(teff_stat_worker);
}

bool is_beyond_limit(std::uint64_t bytes) {
    rlimit limit{};
    return call(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) == 0 && limit.rlim_cur < bytes;
}

// Where the file system cannot reserve, what is written is there.
long write_zeros(long file, std::uint64_t from, std::uint64_t to) {
    static constexpr char kZeros[1024] = {};
    while (from < to) {
        const long written = call(SYS_pwrite64, file, kZeros, std::min<std::uint64_t>(sizeof kZeros, to - from), from);
        if (written <= 0) return written < 0 ? written : -ENOSPC;
        from += static_cast<std::uint64_t>(written);
    }
    return 0;
}

} // namespace

bool BoardFile::open(std::string_view folder, bool with_priorities) {
    board_ = nullptr;
    room_ = priorities_room_ = 0;
    has_priorities_ = with_priorities;
    read_process();
    const int length =
        std::snprintf(path_, sizeof path_, "%.*s/%ld-%u-%llu", static_cast<int>(folder.size()), folder.data(),
                      call(SYS_getpid), name_space_, static_cast<unsigned long long>(started_));
    if (length >= static_cast<int>(sizeof path_)) return fail("has too long a name", -ENAMETOOLONG);
    long file = -1;
    long error = find(file);
    if (error == 0) error = reserve(file, std::max(room_, has_priorities_ ? kRoomWithPriorities : kRoom));
    if (error == 0) error = map(file);
    if (file >= 0) call(SYS_close, file);
    return error == 0 || fail("cannot be made", error);
}

bool BoardFile::has_room(std::uint32_t worker) {
    if (worker < room_) return true;
    if (worker >= TEFF_STAT_WORKERS) return false;
    const std::uint32_t step = has_priorities_ ? kRoomWithPriorities : kRoom;
    const long error = grow(std::min((worker / step + 1) * step, TEFF_STAT_WORKERS));
    return error == 0 || fail("cannot be extended", error);
}

// The file, open; and how many workers it holds.
long BoardFile::find(long& file) {
    constexpr int kCare = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY; // whatever lies in its place
    file = call(SYS_openat, AT_FDCWD, path_, O_RDWR | O_CREAT | kCare, 0600);
    return file < 0 ? file : check(file);
}

// One that is there is this process's own, of a program that it was before, unless somebody else
// has put it there.
long BoardFile::check(long file) {
    struct stat status;
    if (const long error = call(SYS_newfstatat, file, "", &status, AT_EMPTY_PATH); error != 0) return error;
    if (!S_ISREG(status.st_mode)) return -EEXIST;
    identity_ = base::identity_of(status);
    teff_stat_header header{};
    const long bytes = call(SYS_pread64, file, &header, sizeof header, 0);
    if (bytes < 0) return bytes;
    if (header.magic == 0) return status.st_size == 0 || bytes == sizeof header ? 0 : -EEXIST; // not begun yet
    const bool ours = header.magic == TEFF_STAT_MAGIC && header.version == TEFF_STAT_VERSION &&
                      header.worker_bytes == sizeof(teff_stat_worker);
    if (!ours) return -EEXIST;
    const std::uint64_t blocks = static_cast<std::uint64_t>(status.st_size) / sizeof(teff_stat_worker);
    const auto room = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, TEFF_STAT_WORKERS));
    room_ = std::min({room, header.workers, TEFF_STAT_WORKERS});
    has_priorities_ =
        header.priorities_bytes == sizeof(teff_stat_priorities) && header.priorities_at == offsetof(Board, priorities);
    return 0;
}

long BoardFile::reserve(long file, std::uint32_t workers) {
    const std::uint64_t bytes = bytes_for(workers);
    if (is_beyond_limit(bytes)) return -EFBIG;
    long error = call(SYS_fallocate, file, 0, 0, bytes);
    if (error == -EOPNOTSUPP || error == -ENOSYS) error = write_zeros(file, room_ == 0 ? 0 : bytes_for(room_), bytes);
    if (error == 0) room_ = workers;
    if (error == 0 && has_priorities_) reserve_priorities(file);
    return error;
}

// Reserves space for the workers' blocks of priorities. Workers for which there is no space do not
// count by priority.
void BoardFile::reserve_priorities(long file) {
    constexpr std::uint64_t kBegin = offsetof(Board, priorities);
    const std::uint64_t bytes = std::uint64_t{room_} * sizeof(teff_stat_priorities);
    if (is_beyond_limit(kBegin + bytes)) return;
    if (call(SYS_fallocate, file, 0, kBegin, bytes) == 0) priorities_room_ = room_;
}

long BoardFile::map(long file) {
    const std::size_t bytes = has_priorities_ ? sizeof(Board) : offsetof(Board, priorities);
    const long memory = call(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (base::is_error(memory)) return memory;
    board_ = reinterpret_cast<Board*>(memory);
    return 0;
}

long BoardFile::grow(std::uint32_t workers) {
    const long file = call(SYS_openat, AT_FDCWD, path_, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (file < 0) return file;
    struct stat status;
    long error = call(SYS_newfstatat, file, "", &status, AT_EMPTY_PATH);
    if (error == 0 && base::identity_of(status) != identity_) error = -ENOENT;
    if (error == 0) error = reserve(file, workers);
    call(SYS_close, file);
    return error;
}

bool BoardFile::fail(const char* what, long error) {
    const char* const lost = board_ == nullptr ? "nothing is counted" : "more workers are not counted";
    if (!warned_) base::warn("TEFF_STAT: %s %s (%s): %s", path_, what, std::strerror(static_cast<int>(-error)), lost);
    warned_ = true;
    return false;
}

// In which namespace its number is one, and when it has started: the 22nd word of /proc/self/stat.
void BoardFile::read_process() {
    struct stat about;
    const bool known = call(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &about, 0) == 0;
    name_space_ = known ? static_cast<std::uint32_t>(about.st_ino) : 0;
    started_ = 0;
    const long file = call(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return;
    const long bytes = call(SYS_read, file, text_, sizeof text_ - 1);
    call(SYS_close, file);
    text_[std::max(bytes, 0l)] = '\0';
    constexpr int kAfterName = 20; // words, of which the last is the one
    const char* at = std::strrchr(text_, ')');
    for (int word = 0; word < kAfterName && at != nullptr; ++word)
        at = std::strchr(at + 1, ' ');
    if (at != nullptr) started_ = std::strtoull(at, nullptr, 10);
}

} // namespace teff::probe::stat
