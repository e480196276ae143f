// SPDX-License-Identifier: Apache-2.0
#include "processes/statics.h"

#include <iterator>
#include <pthread.h>
#include <threads.h>

#include "abi/export.h"
#include "processes/hooks.h"
#include "processes/interpose.h"
#include "processes/locks.h"
#include "processes/report.h"
#include "processes/team.h"

namespace teff::processes::statics {

namespace {

// The layout of the C++ ABI for x86-64: the first byte says that the initialisation has been done;
// the others belong to the library.
struct Guard {
    unsigned char done, is_being_made, is_locked;
};

int acquire(Guard* guard) {
    const bool locks = region::is_among_others(guard);
    if (locks) locks::lock(locks::key(guard));
    if (guard->done != 0) {
        if (locks) locks::unlock(locks::key(guard));
        return 0;
    }
    if (guard->is_being_made != 0) fail("a variable of a function is needed for its own initialisation");
    guard->is_being_made = 1;
    guard->is_locked = locks;
    return 1;
}

void let_go(Guard* guard, bool done) {
    const bool locked = guard->is_locked != 0;
    *guard = {done, 0, 0};
    if (locked) locks::unlock(locks::key(guard));
}
void release(Guard* guard) { let_go(guard, true); }
void abandon(Guard* guard) { let_go(guard, false); }

// The lock that is held while the C++ library works on an atomic std::shared_ptr. The C++ library
// has several locks, which it selects by the pointer's address; here there is one for all.
struct PointerLocker {
    unsigned char first, second; // the library's; of ours they are kOurs
};
constexpr unsigned char kOurs = 0xfe;
void (*real_lock_pointer)(PointerLocker*, const void*) = nullptr;
void (*real_lock_pointers)(PointerLocker*, const void*, const void*) = nullptr;
void (*real_unlock_pointers)(PointerLocker*) = nullptr;

void lock_pointers(PointerLocker* locker, const void* one, const void* other) {
    if (!region::is_among_others(one) && !region::is_among_others(other)) return real_lock_pointers(locker, one, other);
    *locker = {kOurs, kOurs};
    locks::lock(locks::kSharedPointers);
}
void lock_pointer(PointerLocker* locker, const void* one) {
    if (!region::is_among_others(one)) return real_lock_pointer(locker, one);
    lock_pointers(locker, one, one);
}
void unlock_pointers(PointerLocker* locker) {
    if (locker->first != kOurs) return real_unlock_pointers(locker);
    locks::unlock(locks::kSharedPointers);
}

constexpr int kOnceDone = 2; // as the C library marks it

template <class Once> void do_once(Once* once, void (*body)()) {
    int& state = *reinterpret_cast<int*>(once);
    locks::lock(locks::key(once));
    if (state != kOnceDone) {
        body();
        state = kOnceDone;
    }
    locks::unlock(locks::key(once));
}

} // namespace

void place_hooks() {
    const hooks::Hook all[] = {
        {"__cxa_guard_acquire", acquire},
        {"__cxa_guard_release", release},
        {"__cxa_guard_abort", abandon},
        {"_ZNSt10_Sp_lockerC1EPKv", lock_pointer, &real_lock_pointer},
        {"_ZNSt10_Sp_lockerC1EPKvS1_", lock_pointers, &real_lock_pointers},
        {"_ZNSt10_Sp_lockerD1Ev", unlock_pointers, &real_unlock_pointers},
    };
    hooks::place(all, std::size(all));
}

} // namespace teff::processes::statics

using namespace teff::processes;

TEFF_EXPORT int pthread_once(pthread_once_t* once, void (*body)()) {
    static int (*real)(pthread_once_t*, void (*)()) = nullptr;
    if (region::is_among_others(once)) return statics::do_once(once, body), 0;
    return next(real, "pthread_once")(once, body);
}
TEFF_EXPORT void call_once(once_flag* once, void (*body)()) {
    static void (*real)(once_flag*, void (*)()) = nullptr;
    if (region::is_among_others(once)) return statics::do_once(once, body);
    next(real, "call_once")(once, body);
}
