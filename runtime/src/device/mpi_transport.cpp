// SPDX-License-Identifier: Apache-2.0
//
// Devices that are ranks of MPI: `teff run` under mpirun. The host is rank 0.
//
// The bytes of a `send` go in pieces, each an MPI message with tag kData. Small parts are packed
// into one piece; large parts go from where they are, in pieces of kPiece_bytes, a few of which are
// under way at a time. A receiver finds out how long the next piece is, and receives it directly to
// its destination if it fits there; otherwise into a buffer, from which later calls take the rest.
// So neither side needs to know how the other divides the bytes.
//
// A peer is a rank or, for a second line between the host and a device, the rank and the number of
// ranks together. The messages of that line have the tag kAhead.
//
// One thread at a time calls MPI: every call is made under `mpi_mutex`, and none of them waits for
// another rank. A thread that waits looks again and again. It gives up its processor between two
// looks, and after a short time it sleeps, for a fraction of the time that it has waited so far.
// The fraction is small: if the host sees an answer late, the device has waited for so long that it
// sleeps, too, and sees the next message late.
//
// At its end, by exit, each process sends an empty message with tag kEnd to its peers, and waits
// until theirs have come. Only then does it finish MPI, which would wait for all ranks. If a peer
// is lost, or does not end, the process leaves without finishing MPI, and the launcher ends the
// job. So it does if a handler of a signal has called exit in a thread that was in a call of MPI.
// A device whose region goes on when the host has ended finishes MPI in another thread.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/report.h"
#include "device/mpi_library.h"
#include "device/transport.h"
#include "icv/icv.h"
#include "sync/mutex.h"

namespace teff::device {

namespace {

constexpr int kData = 1, kEnd = 2, kAhead = 3; // tags
constexpr std::size_t kPiece_bytes = std::size_t{1} << 20;
constexpr std::size_t kPacked_bytes = std::size_t{1} << 15; // a larger part is not packed
constexpr unsigned kUnderWay = 4;
constexpr std::uint64_t kEnd_ns = 5'000'000'000;  // for the ends of the peers
constexpr std::uint64_t kCall_ns = 2'000'000'000; // for a call of MPI, which takes milliseconds
constexpr unsigned kOtherEnds_s = 12;             // for kEnd_ns, and for MPI to finish
constexpr unsigned kFirstSay_s = 2;               // for the message of rank 0
constexpr int kFailedStatus = 70;

struct Line {
    bool has_ended = false; // guarded by mpi_mutex
    // Of the receiving thread: bytes that have come and that nobody has asked for yet.
    char* buffer = nullptr;
    std::size_t first = 0, last = 0;
    // Of the sending thread.
    char* packed = nullptr;
    std::size_t packed_bytes = 0;
    mpi::Request requests[kUnderWay] = {};
    unsigned under_way = 0; // of `requests`, from the first on
};

sync::Mutex mpi_mutex;
const mpi::Library* library = nullptr; // calls guarded by mpi_mutex
Job job;
Line* lines = nullptr; // by peer; never freed
// Set before kEnd is sent. Relaxed: the thread that sets it reads it, and others read it under
// mpi_mutex before they send.
std::atomic<bool> is_ending{false};

int rank_of(Peer peer) { return peer % static_cast<int>(job.size); }
int tag_of(Peer peer) { return peer < static_cast<int>(job.size) ? kData : kAhead; }

// The time between two looks.
class Pause {
  public:
    Pause() = default;
    ~Pause() {
        if (slack_ns_ > 0) prctl(PR_SET_TIMERSLACK, slack_ns_);
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

    std::uint64_t waited_ns() const { return base::monotonic_ns() - start_ns_; }
    void next() {
        constexpr std::uint64_t kYield_ns = 200'000, kLongest_ns = 1'000'000;
        const std::uint64_t waited = waited_ns();
        if (waited < kYield_ns) {
            sched_yield();
            return;
        }
        sleep_exactly();
        const timespec time = {0, static_cast<long>(std::min(waited / 32, kLongest_ns))};
        nanosleep(&time, nullptr);
    }

  private:
    // By default, Linux lets a thread sleep up to 50 us longer than it asks for, many times as long
    // as the first sleeps here.
    void sleep_exactly() {
        constexpr unsigned long kLeast_ns = 1; // 0 stands for the default
        if (slack_ns_ != kUnread) return;
        slack_ns_ = prctl(PR_GET_TIMERSLACK);
        prctl(PR_SET_TIMERSLACK, kLeast_ns);
    }

    static constexpr int kUnread = -2;
    const std::uint64_t start_ns_ = base::monotonic_ns();
    int slack_ns_ = kUnread; // of the thread, before it slept here; below zero if there is none
};

// Calls `look()` with mpi_mutex held, until it returns true. Returns false, with errno set, if it
// has not done so for `limit_ns`; 0 means for ever.
template <class Look> bool wait_until(std::uint64_t limit_ns, Look&& look) {
    for (Pause pause;; pause.next()) {
        {
            const sync::MutexGuard guard(mpi_mutex);
            if (look()) return true;
        }
        if (limit_ns != 0 && pause.waited_ns() > limit_ns) {
            errno = ETIMEDOUT;
            return false;
        }
    }
}

std::uint64_t patience_ns() { return job.patience_s * std::uint64_t{1'000'000'000}; }

// The functions that end in _locked are called with mpi_mutex held. They return false on an error
// of MPI, which ends the line.
bool end_locked(Line& line) {
    line.has_ended = true;
    return false;
}

bool has_ended_locked(Peer peer) {
    const int rank = rank_of(peer);
    Line& line = lines[rank];
    if (line.has_ended || lines[peer].has_ended) return true;
    bool has_come = false, is_done;
    int bytes = 0;
    if (library->probe(rank, kEnd, has_come, bytes) != 0) return !end_locked(line);
    if (!has_come) return false;
    // MPI complains of messages that nobody has received.
    mpi::Request request = {};
    int error = library->start_receive(nullptr, 0, rank, kEnd, request);
    for (is_done = false; error == 0 && !is_done;) // not long: it has come
        error = library->test(request, is_done);
    return !end_locked(line);
}

// Whether the request is done, or never will be.
bool is_over_locked(Peer peer, mpi::Request& request, bool& is_done) {
    is_done = false;
    if (library->test(request, is_done) != 0) end_locked(lines[peer]);
    return is_done || has_ended_locked(peer);
}

// Waits for the oldest message under way.
bool finish_oldest(Peer peer) {
    Line& line = lines[peer];
    bool is_done = false;
    if (!wait_until(patience_ns(), [&] { return is_over_locked(peer, line.requests[0], is_done); })) return false;
    errno = 0;
    if (!is_done) return false;
    std::copy(line.requests + 1, line.requests + line.under_way, line.requests);
    --line.under_way;
    return true;
}

bool finish_all(Peer peer) {
    while (lines[peer].under_way != 0)
        if (!finish_oldest(peer)) return false;
    return true;
}

bool start_send(Peer peer, const char* from, std::size_t bytes) {
    Line& line = lines[peer];
    if (line.under_way == kUnderWay && !finish_oldest(peer)) return false;
    const sync::MutexGuard guard(mpi_mutex);
    if (is_ending.load(std::memory_order_relaxed)) return errno = ESHUTDOWN, false;
    if (library->start_send(from, static_cast<int>(bytes), rank_of(peer), tag_of(peer),
                            line.requests[line.under_way]) != 0)
        return end_locked(line);
    ++line.under_way;
    return true;
}

// Sends what is packed. The buffer is free again when all messages under way have arrived.
bool flush(Peer peer) {
    Line& line = lines[peer];
    const std::size_t bytes = std::exchange(line.packed_bytes, 0);
    return bytes == 0 || start_send(peer, line.packed, bytes);
}

bool pack(Peer peer, const char* from, std::size_t bytes) {
    Line& line = lines[peer];
    if (line.packed_bytes + bytes > kPacked_bytes && !flush(peer)) return false;
    if (line.packed_bytes == 0 && !finish_all(peer)) return false;
    std::memcpy(line.packed + line.packed_bytes, from, bytes);
    line.packed_bytes += bytes;
    return true;
}

bool send_large(Peer peer, const char* from, std::size_t bytes) {
    if (!flush(peer)) return false;
    for (std::size_t at = 0; at < bytes; at += kPiece_bytes)
        if (!start_send(peer, from + at, std::min(kPiece_bytes, bytes - at))) return false;
    return true;
}

bool send(Peer peer, const iovec* parts, std::size_t count) {
    if (is_ending.load(std::memory_order_relaxed)) return errno = ESHUTDOWN, false; // mpi_mutex may be this thread's
    for (std::size_t i = 0; i < count; ++i) {
        const auto* const from = static_cast<const char*>(parts[i].iov_base);
        const std::size_t bytes = parts[i].iov_len;
        if (bytes == 0) continue;
        if (!(bytes <= kPacked_bytes ? pack(peer, from, bytes) : send_large(peer, from, bytes))) return false;
    }
    return flush(peer) && finish_all(peer);
}

// Stores the length of the next piece.
bool await_piece(Peer peer, std::size_t& bytes) {
    bool has_come = false;
    int length = 0;
    const bool in_time = wait_until(patience_ns(), [&] {
        if (library->probe(rank_of(peer), tag_of(peer), has_come, length) != 0) end_locked(lines[peer]);
        return has_come || has_ended_locked(peer);
    });
    if (in_time) errno = 0;
    bytes = static_cast<std::size_t>(length);
    return in_time && has_come && length > 0;
}

bool receive_piece(Peer peer, char* to, std::size_t bytes) {
    mpi::Request request = {};
    {
        const sync::MutexGuard guard(mpi_mutex);
        if (library->start_receive(to, static_cast<int>(bytes), rank_of(peer), tag_of(peer), request) != 0)
            return end_locked(lines[peer]);
    }
    bool is_done = false;
    return wait_until(patience_ns(), [&] { return is_over_locked(peer, request, is_done); }) && is_done;
}

bool receive(Peer peer, void* to, std::size_t bytes) {
    Line& line = lines[peer];
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
        if (line.first == line.last) {
            std::size_t piece;
            if (!await_piece(peer, piece)) return false;
            if (piece <= bytes) {
                if (!receive_piece(peer, at, piece)) return false;
                at += piece;
                bytes -= piece;
                continue;
            }
            if (piece > kPiece_bytes || !receive_piece(peer, line.buffer, piece)) return false;
            line.first = 0;
            line.last = piece;
        }
        const std::size_t step = std::min(bytes, line.last - line.first);
        std::memcpy(at, line.buffer + line.first, step);
        line.first += step;
        at += step;
        bytes -= step;
    }
    return true;
}

bool await_end(Peer peer, unsigned milliseconds) {
    constexpr unsigned kStep_ms = 100;
    for (unsigned waited_ms = 0; waited_ms < milliseconds; waited_ms += kStep_ms) {
        usleep(kStep_ms * 1000);
        const sync::MutexGuard guard(mpi_mutex);
        if (has_ended_locked(peer)) return true;
    }
    return false;
}

bool is_usable(const Job& asked) {
    if (!mpi::program_uses_mpi()) return true;
    if (asked.rank == 0)
        base::warn("the program uses MPI itself, so the other ranks are no devices: target regions run on the host");
    return false;
}

void make_line_to(Peer peer) {
    Line& line = *::new (&lines[peer]) Line;
    line.buffer = static_cast<char*>(std::malloc(kPiece_bytes));
    line.packed = static_cast<char*>(std::malloc(kPacked_bytes));
    if (line.buffer == nullptr || line.packed == nullptr) base::fatal(ENOMEM, "no memory for messages of MPI");
}

void make_lines() {
    lines = static_cast<Line*>(std::calloc(std::size_t{2} * job.size, sizeof(Line)));
    if (lines == nullptr) base::fatal(ENOMEM, "no memory for %u ranks", job.size);
    for (unsigned i = 0; i < job.peer_count; ++i)
        make_line_to(job.peers[i]);
}

// All ranks reach each other.
bool make_line(LineEnds&) { return true; }
bool give_line(Peer, int) { return true; }
Peer second_line(Peer rank) {
    const Peer line = static_cast<Peer>(job.size) + rank;
    make_line_to(line);
    return line;
}
Peer keep_line(Peer device, int) { return second_line(device); }
bool take_line(Peer host, unsigned device, Peer& line) {
    if (device == kHostItself) return line = second_line(host), true;
    line = static_cast<Peer>(device) + 1;
    make_line_to(line);
    return true;
}

// A library that does not belong to the launcher takes each process for the only one of its job.
[[noreturn]] void refuse_library(int size) {
    if (job.rank == 0)
        base::fatal(0,
                    "the MPI library sees %d of the %u ranks that the launcher has started: it belongs to another "
                    "launcher. Use the library's own mpirun, or name the launcher's library in TEFF_MPI",
                    size, job.size);
    sleep(kFirstSay_s); // the launcher would end rank 0 before it has said so
    _exit(kFailedStatus);
}

bool begin_over(const char* launcher, const Job& asked) {
    job = asked;
    const std::string_view path = icv::global().mpi_library;
    const char* why_not = nullptr;
    library = mpi::load(launcher, path, why_not);
    if (library == nullptr) {
        if (job.rank != 0) sleep(kFirstSay_s); // rank 0 speaks for all that find the same
        base::fatal(0, "rank %u cannot load the MPI library: %s. Install it on every machine, or name it in TEFF_MPI",
                    job.rank, why_not);
    }
    int rank = 0, size = 0;
    const int error = library->begin(rank, size);
    if (error != 0) base::fatal(0, "MPI cannot start on rank %u: error %d", job.rank, error);
    if (static_cast<unsigned>(size) != job.size || static_cast<unsigned>(rank) != job.rank) refuse_library(size);
    make_lines();
    return library->has_exit_handlers;
}

bool begin_openmpi(const Job& asked) { return begin_over("openmpi", asked); }
bool begin_mpich(const Job& asked) { return begin_over("mpich", asked); }
bool begin_any(const Job& asked) { return begin_over("mpi", asked); }

// Whether no thread keeps mpi_mutex.
bool can_be_called() {
    for (Pause pause; !mpi_mutex.try_lock(); pause.next())
        if (pause.waited_ns() > kCall_ns) return false;
    mpi_mutex.unlock();
    return true;
}

// Whether all peers have ended.
bool part_from_peers() {
    mpi::Request requests[1] = {};
    bool is_done;
    const std::uint64_t start_ns = base::monotonic_ns();
    for (unsigned i = 0; i < job.peer_count; ++i) {
        const sync::MutexGuard guard(mpi_mutex);
        if (library->start_send(nullptr, 0, job.peers[i], kEnd, requests[0]) != 0) return false;
        library->test(requests[0], is_done); // an empty message leaves at once
    }
    for (unsigned i = 0; i < job.peer_count; ++i) {
        const std::uint64_t passed_ns = base::monotonic_ns() - start_ns;
        if (passed_ns >= kEnd_ns) return false;
        if (!wait_until(kEnd_ns - passed_ns, [&] { return has_ended_locked(job.peers[i]); })) return false;
    }
    return true;
}

// A device that has not been used has sent its Hello, and MPI complains of messages that nobody has
// received.
void discard_data(Peer peer) {
    std::size_t bytes;
    while (await_piece(peer, bytes) && bytes <= kPiece_bytes)
        if (!receive_piece(peer, lines[peer].buffer, bytes)) return;
}

// Keeps mpi_mutex for ever: other threads may go on, and must not call MPI any more.
TEFF_LOCK_CROSSES_CALLS void finish() {
    mpi_mutex.lock();
    library->finish();
}

bool end(bool has_failed) {
    if (is_ending.exchange(true, std::memory_order_relaxed)) {
        sleep(kOtherEnds_s);
        return false;
    }
    if (lines == nullptr || has_failed || !can_be_called() || !part_from_peers()) return false;
    for (unsigned i = 0; i < job.peer_count; ++i)
        discard_data(job.peers[i]);
    finish();
    return true;
}

void forget(Peer) { lines = nullptr; }

} // namespace

const Transport openmpi_transport = {"openmpi", is_usable, begin_openmpi, send,      receive, make_line,
                                     give_line, keep_line, take_line,     await_end, end,     forget};
const Transport mpich_transport = {"mpich",   is_usable, begin_mpich, send,      receive, make_line,
                                   give_line, keep_line, take_line,   await_end, end,     forget};
const Transport any_mpi_transport = {"mpi",     is_usable, begin_any, send,      receive, make_line,
                                     give_line, keep_line, take_line, await_end, end,     forget};

} // namespace teff::device
