// SPDX-License-Identifier: Apache-2.0
#include "counts_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/futex.h"
#include "base/signals_of_writes.h"
#include "base/standard_error.h"
#include "base/system_call.h"

namespace teff::instructions {

namespace {

using base::call;

constexpr std::uint64_t kMagic = 0x3154434e46464554; // "TEFFNCT1"
constexpr std::uint32_t kVersion = 1;

struct Header {
    std::uint64_t magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t pid = 0;
    std::uint32_t line_bytes = 1u << kLineShift;
    std::uint32_t registers = kRegisters;
    std::uint64_t reserved[5] = {};
};
static_assert(sizeof(Header) == sizeof(Record));

constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};

// One thread at a time has the lock, and no handler of the program runs in this thread meanwhile,
// so the holder always makes progress.
std::atomic<std::uint32_t> lock{0}; // 2: others wait

class Turn {
  public:
    Turn() {
        blocks_signals_ = call(SYS_rt_sigprocmask, SIG_SETMASK, &kAllSignals, &mask_, sizeof mask_) == 0;
        std::uint32_t free = 0;
        if (lock.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
        while (lock.exchange(2, std::memory_order_acquire) != 0)
            base::futex_wait(lock, 2);
    }
    ~Turn() {
        if (lock.exchange(0, std::memory_order_release) == 2) base::futex_wake(lock, 1);
        if (blocks_signals_) call(SYS_rt_sigprocmask, SIG_SETMASK, &mask_, nullptr, sizeof mask_);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    std::uint64_t mask_ = 0;
    bool blocks_signals_;
};

// The state of the process's file. It changes only under the lock.
enum class State { kUnmade, kMade, kNone }; // kNone: it cannot be made
constinit State state = State::kUnmade;
constinit bool said = false;
constinit char folder[4096], path[sizeof folder + 64], line[sizeof path + 256];
constinit base::Identity identity;

long filter_at_start = 0;

// The kind of the thread's filter for system calls. If the program has installed a filter since
// then, a call that the filter does not list could end the program.
long filter() { return call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0); }

void say(const char* what, long error) {
    if (said) return;
    said = true;
    const char* const words = strerrordesc_np(static_cast<int>(-error));
    const int wanted = std::snprintf(line, sizeof line, "teff: warning: %s: %s: %s\n", path, what,
                                     words != nullptr ? words : "unknown error");
    const std::size_t bytes = std::min(static_cast<std::size_t>(std::max(wanted, 0)), sizeof line - 1);
    if (base::write_at_once(line, bytes) < 0) base::take_back_signals_of_writes();
}

// Counts go into the folder of the recording that is being written. A program without OpenMP writes
// no counts. Neither does a program with more rights than its caller, because the caller chose the
// folder.
bool find_folder() {
    const char* const recording = secure_getenv("TEFF_TRACE");
    if (recording == nullptr || *recording == 0) return false;
    std::size_t used = 0;
    if (*recording != '/') {
        const long bytes = call(SYS_getcwd, folder, sizeof folder);
        if (bytes <= 0 || folder[0] != '/') return false;
        used = static_cast<std::size_t>(bytes);
        folder[used - 1] = '/';
    }
    const std::size_t length = std::strlen(recording);
    if (used + length >= sizeof folder) return false;
    std::memcpy(folder + used, recording, length + 1);
    std::snprintf(path, sizeof path, "%s/meta.json", folder);
    return call(SYS_access, path, F_OK) == 0;
}

// Appends all records, or at least only whole records, so that later records follow them correctly.
long append_to(long file, const void* records, std::size_t bytes) {
    struct stat status;
    if (const long error = call(SYS_fstat, file, &status); error < 0) return error;
    if (base::identity_of(status) != identity) return -ENOENT;
    const auto before = static_cast<std::uint64_t>(status.st_size);
    rlimit limit{};
    if (call(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) == 0 && limit.rlim_cur < before + bytes) return -EFBIG;
    const long written = call(SYS_write, file, records, bytes);
    if (written == static_cast<long>(bytes)) return 0;
    if (written == -EFBIG) base::take_back_signals_of_writes();
    if (written < 0) return written;
    call(SYS_ftruncate, file, before + static_cast<std::uint64_t>(written) / sizeof(Record) * sizeof(Record));
    return -ENOSPC;
}

long begin_file(long file) {
    constexpr mode_t kForOwner = S_IRUSR | S_IWUSR; // whatever the umask says: it is opened again
    struct stat status;
    if (const long error = call(SYS_fstat, file, &status); error < 0) return error;
    if ((status.st_mode & kForOwner) != kForOwner) call(SYS_fchmod, file, (status.st_mode & 07777) | kForOwner);
    identity = base::identity_of(status);
    Header header;
    header.pid = static_cast<std::uint32_t>(call(SYS_getpid));
    return append_to(file, &header, sizeof header);
}

// Makes a file with a free name. A name is taken if another process with this number has used it,
// or this process before an exec.
long make_anew() {
    long file = -EEXIST;
    for (int again = 1; again < 1000 && file == -EEXIST; ++again) {
        const long pid = call(SYS_getpid);
        if (again == 1) std::snprintf(path, sizeof path, "%s/counts-%ld.bin", folder, pid);
        else std::snprintf(path, sizeof path, "%s/counts-%ld-%d.bin", folder, pid, again);
        file = call(SYS_open, path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    }
    return file;
}

void make() {
    if (!find_folder()) return;
    const long file = make_anew();
    const long error = file < 0 ? file : begin_file(file);
    if (file >= 0) call(SYS_close, file);
    state = error == 0 ? State::kMade : State::kNone;
    if (error == 0) return;
    if (file >= 0) call(SYS_unlink, path);
    say("the counts of instructions cannot be written", error);
}

void append(const void* records, std::size_t bytes) {
    constexpr int kCare = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY; // whatever lies in its place
    const long file = call(SYS_open, path, O_WRONLY | O_APPEND | kCare, 0);
    const long error = file < 0 ? file : append_to(file, records, bytes);
    if (file >= 0) call(SYS_close, file);
    if (error != 0) say("counts of instructions are lost", error);
}

} // namespace

void Records::add(const Grain& grain) {
    const Accesses accesses = grain.accesses();
    records_[count_++] = {.task = grain.task,
                          .chunk = grain.chunk,
                          .kind = static_cast<std::uint32_t>(grain.kind),
                          .instructions = grain.instructions,
                          .reads = accesses.reads,
                          .writes = accesses.writes,
                          .stack_reads = grain.stack_reads,
                          .stack_writes = grain.stack_writes,
                          .lines = grain.footprint.lines()};
    if (count_ >= kRoom) write_out();
}

// Before the program's first use of OpenMP there is no recording. Until then the records wait. If
// there are too many, they are lost.
void Records::write_out() {
    if (count_ == 0) return;
    const bool is_shut_in = filter() != filter_at_start;
    if (!is_shut_in && !append_all() && count_ < kRoom) return;
    count_ = 0;
}

// Returns false if there is no recording yet.
bool Records::append_all() const {
    const Turn turn;
    if (state == State::kUnmade) make();
    if (state == State::kMade) append(records_, count_ * sizeof(Record));
    return state != State::kUnmade;
}

void note_surroundings() {
    base::note_standard_error();
    filter_at_start = filter();
}

void forget_file() {
    state = State::kUnmade;
    lock.store(0, std::memory_order_relaxed);
}

} // namespace teff::instructions
