// SPDX-License-Identifier: Apache-2.0
//
// While a task holds a lock, the hub has an entry for the lock. Waiting tasks get the lock in the
// order of their arrival.
#include "processes/hub.h"
#include "processes/locks.h"
#include "processes/report.h"

namespace teff::processes::hub {

namespace {

struct Held {
    std::uint64_t key, task; // the holder's task, for nestable locks
    unsigned rank;
    std::uint64_t depth;
};
struct Waiting {
    std::uint64_t key, task;
    unsigned rank;
};
constinit List<Held> held;
constinit List<Waiting> waiting;

std::size_t find(std::uint64_t key) {
    std::size_t i = 0;
    while (i < held.size() && held[i].key != key)
        ++i;
    return i;
}

bool is_waited_for(std::uint64_t key) {
    for (const Waiting& one : waiting)
        if (one.key == key) return true;
    return false;
}

void pass_on(std::size_t index) {
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].key != held[index].key) continue;
        const Waiting next = waiting[i];
        waiting.erase(i);
        held[index] = {next.key, next.task, next.rank, 1};
        answer(next.rank, go_on(1), true);
        if (next.key == locks::kLease && is_waited_for(next.key)) ask_back(next.rank);
        return;
    }
    held.erase(index);
}

} // namespace

int holder_of(std::uint64_t key) {
    const std::size_t index = find(key);
    return index == held.size() ? -1 : static_cast<int>(held[index].rank);
}

void lock(const Message& message) {
    const Request& request = message.request;
    const std::size_t index = find(request.a);
    if (index == held.size()) {
        held.push({request.a, request.b, message.rank, request.c == 0 ? 1 : request.c});
        return answer(message.rank, go_on(1), true);
    }
    Held& one = held[index];
    if ((request.flags & kNested) != 0 && one.rank == message.rank && one.task == request.b)
        return answer(message.rank, go_on(++one.depth), true);
    if (request.a == locks::kLease) ask_back(one.rank);
    if ((request.flags & kTry) != 0) return answer(message.rank, go_on(0), true);
    waiting.push({request.a, request.b, message.rank});
}

void take_lease_back(unsigned rank) {
    const std::size_t index = find(locks::kLease);
    if (index != held.size() && held[index].rank == rank) pass_on(index);
}

void unlock(const Message& message) {
    const std::size_t index = find(message.request.a);
    if (index == held.size()) return; // not held: the program is not conforming
    if (--held[index].depth == 0) pass_on(index);
}

} // namespace teff::processes::hub
