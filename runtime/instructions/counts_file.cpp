// SPDX-License-Identifier: Apache-2.0
#include "counts_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace teff::instructions {

namespace {

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

constexpr int kUnopened = -1, kNone = -2; // kNone: it cannot be written
std::atomic<int> file{kUnopened};

// Counts go into the folder of the recording that is being written. A program without OpenMP leaves
// none.
bool find_folder(char* name, std::size_t room) {
    const char* recording = std::getenv("TEFF_TRACE");
    if (recording == nullptr || *recording == 0) return false;
    if (std::snprintf(name, room, "%s/meta.json", recording) >= static_cast<int>(room)) return false;
    if (access(name, F_OK) != 0) return false;
    return std::snprintf(name, room, "%s", recording) < static_cast<int>(room);
}

int open_new(const char* folder) {
    char name[4096 + 64];
    for (int again = 1; again < 1000; ++again) {
        const int pid = static_cast<int>(getpid());
        if (again == 1) std::snprintf(name, sizeof name, "%s/counts-%d.bin", folder, pid);
        else std::snprintf(name, sizeof name, "%s/counts-%d-%d.bin", folder, pid, again);
        const int opened = open(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (opened >= 0) return opened;
        if (errno != EEXIST) break;
    }
    std::fprintf(stderr, "teff: warning: the counts of instructions cannot be written to %s: %s\n", name,
                 std::strerror(errno));
    return kNone;
}

// Who comes second to an unopened file takes the first one's. Unopened still: there is no recording
// yet.
int open_file() {
    char folder[4096];
    if (!find_folder(folder, sizeof folder)) return kUnopened;
    const int opened = open_new(folder);
    int expected = kUnopened;
    if (opened >= 0) {
        Header header;
        header.pid = static_cast<std::uint32_t>(getpid());
        if (write(opened, &header, sizeof header) != static_cast<ssize_t>(sizeof header)) return close(opened), kNone;
    }
    if (file.compare_exchange_strong(expected, opened)) return opened;
    return expected;
}

} // namespace

void Records::add(const Grain& grain) {
    records_[count_++] = {.task = grain.task,
                          .chunk = grain.chunk,
                          .kind = static_cast<std::uint32_t>(grain.kind),
                          .instructions = grain.instructions,
                          .reads = grain.all_reads(),
                          .writes = grain.all_writes(),
                          .stack_reads = grain.stack_reads,
                          .stack_writes = grain.stack_writes,
                          .lines = grain.footprint.lines()};
    if (count_ == kRoom) write_out();
}

// Before the program's first use of OpenMP there is no recording: the records wait, or, where they
// are too many, are gone. A disk that is full cuts the file's last record.
void Records::write_out() {
    const int error = errno;
    int to = file.load(std::memory_order_relaxed);
    if (count_ != 0 && to == kUnopened) to = open_file();
    if (to == kUnopened && count_ < kRoom) return;
    const auto bytes = static_cast<ssize_t>(count_ * sizeof(Record));
    if (to >= 0 && bytes != 0 && write(to, records_, static_cast<std::size_t>(bytes)) != bytes) {
        static std::atomic<bool> said{false};
        if (!said.exchange(true))
            std::fprintf(stderr, "teff: warning: counts of instructions are lost: %s\n", std::strerror(errno));
    }
    count_ = 0;
    errno = error;
}

void forget_file() {
    const int old = file.exchange(kUnopened);
    if (old >= 0) close(old);
}

} // namespace teff::instructions
