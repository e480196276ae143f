// SPDX-License-Identifier: Apache-2.0
//
// Each process has two rings of bytes, one for each direction, in a memory segment that it shares
// with the hub. The segment has no name, and is freed with the last process. It contains none of
// the program's memory except messages in transit.
//
// A ring has one writer and one reader. Each counts its own bytes (`written`, `taken`); the
// difference is the number of unread bytes. A side that finds nothing to do spins briefly, and then
// sleeps on the other side's count until that count differs from the last value that it read:
//
//     [ring-1]  the bytes, then `written` (release)        the reader loads `written` (acquire)
//     [ring-2]  the reader has copied, then `taken` (release)   the writer loads `taken` (acquire)
//     [ring-3]  the writer of a ring to the hub adds one to the bell (release) after [ring-1]; the hub
//               loads the bell (acquire) before it looks into the rings, and sleeps if it has not
//               changed since
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processes/hub.h"
#include "processes/layout.h"
#include "processes/report.h"
#include "processes/transport.h"

namespace teff::processes {

namespace {

using Count = std::atomic<std::uint32_t>; // of bytes, modulo 2^32; a futex

constexpr std::uint32_t kRoom = 256 << 10;

struct Ring {
    alignas(64) Count written;
    alignas(64) Count taken;
    alignas(64) std::byte bytes[kRoom];
};

struct Segment {
    alignas(64) Count bell;
    pid_t hub;
    Ring to_hub[kMostProcesses], from_hub[kMostProcesses];
};

Segment* segment = nullptr;
unsigned count = 0, own_rank = 0;

// Whether the other side is alive. For the hub, the other side is the process with this rank.
using Lives = bool (*)(unsigned rank);

bool hub_lives(unsigned) { return getppid() == segment->hub; }

void sleep_on(const Count& word, std::uint32_t value) {
    const timespec limit = {0, 100'000'000};
    syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}
void wake(const Count& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

// Waits until the other side's count is no longer `value`. Returns false if the other side has
// died.
bool await_change(const Count& word, std::uint32_t value, Lives lives, unsigned rank) {
    for (int i = 0; i < 200; ++i) {
        if (word.load(std::memory_order_acquire) != value) return true; // [ring-1] [ring-2]
        __builtin_ia32_pause();
    }
    while (word.load(std::memory_order_acquire) == value) { // [ring-1] [ring-2]
        sleep_on(word, value);
        if (word.load(std::memory_order_acquire) == value && !lives(rank)) return false; // [ring-1] [ring-2]
    }
    return true;
}

void copy_in(Ring& ring, std::uint32_t at, const std::byte* from, std::uint32_t bytes) {
    const std::uint32_t start = at % kRoom, first = bytes < kRoom - start ? bytes : kRoom - start;
    std::memcpy(ring.bytes + start, from, first);
    std::memcpy(ring.bytes, from + first, bytes - first);
}
void copy_out(const Ring& ring, std::uint32_t at, std::byte* to, std::uint32_t bytes) {
    const std::uint32_t start = at % kRoom, first = bytes < kRoom - start ? bytes : kRoom - start;
    std::memcpy(to, ring.bytes + start, first);
    std::memcpy(to + first, ring.bytes, bytes - first);
}

void announce(Ring& ring, std::uint32_t written, bool rings) {
    ring.written.store(written, std::memory_order_release); // [ring-1]
    wake(ring.written);
    if (!rings) return;
    segment->bell.fetch_add(1, std::memory_order_release); // [ring-3]
    wake(segment->bell);
}

bool write_all(Ring& ring, const iovec* parts, unsigned part_count, bool rings, Lives lives, unsigned rank) {
    std::uint32_t written = ring.written.load(std::memory_order_relaxed); // its own count
    for (unsigned i = 0; i < part_count; ++i) {
        auto* from = static_cast<const std::byte*>(parts[i].iov_base);
        for (std::size_t left = parts[i].iov_len; left != 0;) {
            const std::uint32_t taken = ring.taken.load(std::memory_order_acquire); // [ring-2]
            const std::uint32_t room = kRoom - (written - taken);
            if (room == 0) {
                announce(ring, written, rings);
                if (!await_change(ring.taken, taken, lives, rank)) return false;
                continue;
            }
            const std::uint32_t bytes = left < room ? static_cast<std::uint32_t>(left) : room;
            copy_in(ring, written, from, bytes);
            written += bytes;
            from += bytes;
            left -= bytes;
        }
    }
    announce(ring, written, rings);
    return true;
}

bool read_all(Ring& ring, void* to, std::size_t left, Lives lives, unsigned rank) {
    auto* at = static_cast<std::byte*>(to);
    std::uint32_t taken = ring.taken.load(std::memory_order_relaxed); // its own count
    while (left != 0) {
        const std::uint32_t written = ring.written.load(std::memory_order_acquire); // [ring-1]
        if (written == taken) {
            if (!await_change(ring.written, written, lives, rank)) return false;
            continue;
        }
        const std::uint32_t bytes = left < written - taken ? static_cast<std::uint32_t>(left) : written - taken;
        copy_out(ring, taken, at, bytes);
        const bool was_full = written - taken == kRoom;
        taken += bytes;
        at += bytes;
        left -= bytes;
        ring.taken.store(taken, std::memory_order_release); // [ring-2]
        if (was_full || left != 0) wake(ring.taken);
    }
    wake(ring.taken);
    return true;
}

bool holds_something(const Ring& ring) {
    return ring.written.load(std::memory_order_acquire) != ring.taken.load(std::memory_order_relaxed); // [ring-1]
}

void open_segment(unsigned processes) {
    count = processes;
    void* const made =
        mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) fail_errno("no memory for the rings");
    madvise(made, sizeof(Segment), MADV_DONTDUMP);
    segment = static_cast<Segment*>(made); // all zeros: every ring is empty
    segment->hub = getpid();
}

// The search begins after the process that was found last, so it is fair.
int wait_any() {
    static unsigned next = 0;
    static std::uint32_t heard = 0;
    const std::uint32_t bell = segment->bell.load(std::memory_order_acquire); // [ring-3]
    for (unsigned i = 0; i < count; ++i) {
        const unsigned rank = (next + i) % count;
        if (!holds_something(segment->to_hub[rank])) continue;
        next = rank + 1;
        return static_cast<int>(rank);
    }
    if (bell == heard) sleep_on(segment->bell, bell);
    heard = bell;
    return -1;
}

void ring_bell() {
    segment->bell.fetch_add(1, std::memory_order_release); // [ring-3]
    wake(segment->bell);
}

// A signal that arrives before the sleep does not shorten the sleep. This does no harm, because its
// handler has run, and the sleep is short.
bool await(const sigset_t* mask) {
    const Ring& ring = segment->from_hub[own_rank];
    for (int i = 0; i < 200; ++i) {
        if (holds_something(ring)) return false;
        __builtin_ia32_pause();
    }
    sigset_t before;
    sigprocmask(SIG_SETMASK, mask, &before);
    bool lives = true;
    while (lives && !holds_something(ring)) {
        sleep_on(ring.written, ring.taken.load(std::memory_order_relaxed)); // its own count
        lives = hub_lives(own_rank);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return true;
}

} // namespace

const Transport ring_transport = {
    .name = "ring",
    .open = open_segment,
    .be_hub = [] {},
    .be_process = [](unsigned rank) { own_rank = rank; },
    .hub_send = [](unsigned rank, const iovec* parts,
                   unsigned n) { return write_all(segment->from_hub[rank], parts, n, false, hub::lives, rank); },
    .hub_receive = [](unsigned rank, void* to,
                      std::size_t bytes) { return read_all(segment->to_hub[rank], to, bytes, hub::lives, rank); },
    .hub_wait = wait_any,
    .hub_wake = ring_bell,
    .send = [](const iovec* parts,
               unsigned n) { return write_all(segment->to_hub[own_rank], parts, n, true, hub_lives, own_rank); },
    .receive = [](void* to,
                  std::size_t bytes) { return read_all(segment->from_hub[own_rank], to, bytes, hub_lives, own_rank); },
    .has_arrived = [] { return holds_something(segment->from_hub[own_rank]); },
    .await = await,
};

} // namespace teff::processes
