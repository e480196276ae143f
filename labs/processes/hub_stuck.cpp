// SPDX-License-Identifier: Apache-2.0
//
// The watchdog detects a deadlock in two cases. First: while a process waits for an answer of the
// hub, it sends nothing. So if all members of the region wait, and the hub has answered all
// requests that it can answer, no process will ever continue. Second: a process may also wait in
// its own loop, with taskyield or sched_yield. If all processes wait in one of these ways, and none
// does anything new for as long as the user's limit allows, the run is ended as well. An endless
// loop makes the same few call stacks again and again; these do not count as new.
//
// Such a program may run on threads, because there a waiting task is suspended, and the task below
// it on the stack continues. On processes the task waits in place.
#include <ctime>
#include <iterator>

#include "processes/changes.h"
#include "processes/hub.h"
#include "processes/layout.h"
#include "processes/locks.h"
#include "processes/report.h"

namespace teff::processes::hub {

namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000;
constinit std::uint64_t patience_ns = 0;

std::uint64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * kSecond_ns + static_cast<std::uint64_t>(now.tv_nsec);
}

// Requests of other kinds are answered at once, or not at all.
bool may_wait(Op op) {
    return op == Op::lock || op == Op::ordered || op == Op::copy_in || op == Op::barrier || op == Op::join ||
           op == Op::wait;
}

// Returns the mark of a list of changes; 0 if there are none. A longer list than kMostMarked is not
// what a waiting loop leaves behind, and gets no mark.
constexpr std::size_t kMostMarked = 2048;
std::uint64_t mark_of(const List<std::byte>& changes) {
    std::uint64_t mark = changes.empty() ? 0 : 0xcbf2'9ce4'8422'2325;
    for (const std::byte byte : changes)
        mark = (mark ^ static_cast<std::uint64_t>(byte)) * 0x0100'0000'01b3;
    return mark;
}

bool is_new(Process& one, const List<std::byte>& changes) {
    if (changes.size() > kMostMarked) return true;
    const std::uint64_t mark = mark_of(changes);
    if (mark == 0) return false;
    for (const std::uint64_t known : one.recent_changes)
        if (known == mark) return false;
    one.recent_changes[one.next_recent++ % std::size(one.recent_changes)] = mark;
    return true;
}

// A beat may interrupt the loop anywhere.
bool is_trace_of_calls(unsigned rank, const List<std::byte>& list) {
    if (list.size() > kMostMarked) return false;
    const std::uint64_t stack = stack_start(rank, hub().processes);
    for (std::size_t at = 0; at < list.size(); at += changes::header(list.data() + at).bytes)
        if (changes::header(list.data() + at).page - stack >= kStackSpan) return false;
    return true;
}

bool only_yields(const Process& one) {
    if (patience_ns == 0 || one.yields_since_ns == 0) return false;
    const std::uint64_t now = now_ns();
    return now - one.yields_since_ns >= patience_ns && now - one.yielded_ns < kSecond_ns;
}

void say_lock(unsigned rank, std::uint64_t key) {
    const int holder = holder_of(key);
    const bool is_atomic = key == locks::kAtomic || key == locks::kLease;
    const char* const what = key == locks::kCritical ? "the critical region that has no name"
                             : is_atomic             ? "an atomic construct"
                                                     : "a lock, or a critical region with a name";
    say("process %u waits for %s; process %d holds it", rank, what, holder);
}

void say_wait(unsigned rank) {
    const Process& one = hub().process[rank];
    if (!one.asks) return say("process %u yields in a loop, and nothing changes", rank);
    switch (one.asked) {
    case Op::lock:
        return say_lock(rank, one.about);
    case Op::wait:
        return say("process %u waits for tasks, or for the event of a detachable task", rank);
    case Op::barrier:
        return say("process %u waits at a barrier", rank);
    case Op::join:
        return say("process %u waits at the region's end", rank);
    case Op::ordered:
        return say("process %u waits for its turn in an ordered region", rank);
    default:
        return say("process %u waits for what a single region copies", rank);
    }
}

} // namespace

void set_patience(unsigned seconds) { patience_ns = seconds * kSecond_ns; }

void note_request(const Message& message, const List<std::byte>& list) {
    Process& one = hub().process[message.rank];
    const Request& request = message.request;
    one.asks = may_wait(request.op);
    one.asked = request.op;
    one.about = request.a;
    if (request.op == Op::flush && (request.flags & kBeat) != 0 && is_trace_of_calls(message.rank, list)) return;
    if (request.op != Op::flush || (request.flags & kYield) == 0 || is_new(one, list)) {
        one.yields_since_ns = 0;
        return;
    }
    one.yielded_ns = now_ns();
    if (one.yields_since_ns == 0) one.yields_since_ns = one.yielded_ns;
}

void note_answer(unsigned rank) { hub().process[rank].asks = false; }

void end_if_stuck() {
    const unsigned count = members() == 0 ? 1 : members();
    for (unsigned rank = 0; rank < count; ++rank)
        if (!hub().process[rank].asks && !only_yields(hub().process[rank])) return;
    say("no process can go on:");
    for (unsigned rank = 0; rank < count; ++rank)
        say_wait(rank);
    say("with --processes a task that waits is not set aside, so what it holds or would do next stays undone; "
        "docs/processes.md says what can run");
    give_up();
}

} // namespace teff::processes::hub
