// SPDX-License-Identifier: Apache-2.0
#include "processes/locks.h"

#include "processes/link.h"
#include "processes/memory_list.h"
#include "processes/report.h"

namespace teff::processes::locks {

namespace {

// A lock of this process, before there are other processes and the hub has the locks.
struct Own {
    Key key;
    std::uint64_t task;
    unsigned depth;
};
constinit List<Own> own;

Own* find_own(Key key) {
    for (Own& one : own)
        if (one.key == key) return &one;
    return nullptr;
}

unsigned lock_own(Key key, std::uint32_t flags, std::uint64_t owner) {
    Own* const held = find_own(key);
    if (held == nullptr) {
        own.push({key, owner, 1});
        return 1;
    }
    if ((flags & kNested) != 0 && held->task == owner) return ++held->depth;
    if ((flags & kTry) != 0) return 0;
    fail("a lock is waited for by the only thread there is, which holds it");
}

Request request(Op op, Key key, std::uint32_t flags = 0, std::uint64_t owner = 0) {
    Request made = {};
    made.op = op;
    made.flags = flags;
    made.a = key;
    made.b = owner;
    made.c = 1;
    return made;
}

unsigned take(Key key, std::uint32_t flags, std::uint64_t owner = 0) {
    if (!link::is_connected()) return lock_own(key, flags, owner);
    return static_cast<unsigned>(link::ask(request(Op::lock, key, flags, owner), link::Sync::memory).a);
}

void give_back_own(Own& held) {
    if (--held.depth == 0) own.erase(static_cast<std::size_t>(&held - own.data()));
}

} // namespace

void lock(Key key) { take(key, 0); }
bool try_lock(Key key) { return take(key, kTry) != 0; }
unsigned lock_nested(Key key, std::uint64_t owner) { return take(key, kNested, owner); }
unsigned try_lock_nested(Key key, std::uint64_t owner) { return take(key, kNested | kTry, owner); }

void unlock(Key key) {
    if (link::is_connected()) return link::tell(request(Op::unlock, key), link::Sync::memory);
    if (Own* const held = find_own(key)) give_back_own(*held);
}

void hand_over() {
    while (!own.empty()) {
        const Own held = own.pop();
        Request taken = request(Op::lock, held.key, kNested, held.task);
        taken.c = held.depth;
        link::ask(taken, link::Sync::memory);
    }
}

} // namespace teff::processes::locks
