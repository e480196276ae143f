// SPDX-License-Identifier: Apache-2.0
#include "fiber/context.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <initializer_list>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/cache_line.h"
#include "base/uncancelled.h"
#include "fiber/raw_switch.h"
#include "fiber/sanitizers.h"

namespace teff::fiber {

namespace {

// The C++ ABI's per-thread record: the caught exceptions, and the number of exceptions being
// thrown. Only its size matters here.
struct Exceptions {
    void* caught = nullptr;
    unsigned long uncaught = 0;
};

} // namespace

extern "C" [[gnu::weak]] Exceptions* __cxa_get_globals();

namespace {

using GetExceptions = Exceptions* (*)();

// Null while no C++ library has been found. Relaxed: the function that it points to does not
// change.
constinit std::atomic<GetExceptions> get_exceptions{&__cxa_get_globals};

// The addresses at which the current thread keeps the state that a context takes along.
struct Places {
    int* errno_value;
    Exceptions* exceptions; // null if there is no C++
};

// A cache of the record's address, because the C++ library's own function takes ten times as long.
thread_local Exceptions* exceptions_of_thread = nullptr;

// Not inlined, because thread-local addresses may change across a switch, and the compiler does not
// know that.
[[gnu::noinline]] Places places_of_thread() {
    if (TEFF_UNLIKELY(exceptions_of_thread == nullptr))
        if (const auto get = get_exceptions.load(std::memory_order_relaxed)) exceptions_of_thread = get();
    return {&errno, exceptions_of_thread};
}

// The state that a context takes along besides its registers.
struct Baggage {
    int errno_value = 0;
    Exceptions exceptions;

    static Baggage packed_at(const Places& places) {
        Baggage baggage{*places.errno_value, {}};
        if (places.exceptions != nullptr) baggage.exceptions = *places.exceptions;
        return baggage;
    }

    void unpack_at(const Places& places) const {
        *places.errno_value = errno_value;
        if (places.exceptions != nullptr) *places.exceptions = exceptions;
    }
};

} // namespace

// AddressSanitizer may keep a function's variables on a fake stack, which is destroyed with the
// context. A Departure outlives the context.
#define TEFF_ON_REAL_STACK [[gnu::no_sanitize_address]]

// Lies on the stack that is left. The arriving side reads it before it calls `after`.
struct Departure {
    Context* from;
    After after;
    Places places; // of the thread, which is also the arriving side's thread
    bool for_good = false;
    // For a context that starts:
    Context* fresh = nullptr;
    Function function = nullptr;
    void* argument = nullptr;

    void arrive_at(Context& self, const Baggage& baggage);
};

// Each function does nothing if the program has no sanitizer.
struct Sanitizers {
    static void start(Context& fresh) {
        if (__asan_unpoison_memory_region != nullptr) // a context that was left for good has not cleaned up
            __asan_unpoison_memory_region(fresh.bottom_, fresh.bytes_);
        if (__tsan_create_fiber != nullptr) fresh.tsan_fiber_ = __tsan_create_fiber(0);
    }

    // The last step before a switch. Inlined, because ThreadSanitizer counts calls: a call that
    // began on a context has to end there.
    TEFF_ON_REAL_STACK [[gnu::always_inline]] static void depart(Context& from, const Context& to, bool for_good) {
        if (__sanitizer_start_switch_fiber != nullptr)
            __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack_, to.bottom_, to.bytes_);
        if (__tsan_switch_to_fiber != nullptr) {
            from.tsan_fiber_ = __tsan_get_current_fiber();
            __tsan_switch_to_fiber(to.tsan_fiber_, 0);
        }
    }

    // The first step after a switch.
    static void arrive(Context& self, Context& from, bool for_good) {
        if (__sanitizer_finish_switch_fiber != nullptr) {
            __sanitizer_finish_switch_fiber(self.fake_stack_, &from.bottom_, &from.bytes_);
            self.fake_stack_ = nullptr;
        }
        if (for_good && __tsan_destroy_fiber != nullptr) __tsan_destroy_fiber(from.tsan_fiber_);
    }
};

void Departure::arrive_at(Context& self, const Baggage& baggage) {
    Sanitizers::arrive(self, *from, for_good);
    if (for_good) from->saved_ = nullptr;
    const Places here = places; // copied, because this Departure may no longer exist once `after` runs
    after.function(after.argument);
    baggage.unpack_at(here);
}

namespace {

// The first function on a fresh stack.
void begin(void* message) {
    auto& departure = *static_cast<Departure*>(message);
    const Function function = departure.function;
    void* const argument = departure.argument;
    departure.arrive_at(*departure.fresh, Baggage{});
    function(argument);
    __builtin_trap(); // it never returns
}

} // namespace

// HOT switch_between: budget 30 ns, half of which is the processor's STMXCSR.
TEFF_ON_REAL_STACK void Context::switch_to(Context& to, After after) {
    assert(to.saved_ != nullptr && &to != this);
    const Places places = places_of_thread();
    const Baggage baggage = Baggage::packed_at(places);
    Departure departure{this, after, places};
    Frame* const target = std::exchange(to.saved_, nullptr);
    Sanitizers::depart(*this, to, false);
    void* const arrived = teff_fiber_switch(&saved_, target, &departure);
    static_cast<Departure*>(arrived)->arrive_at(*this, baggage);
}

// HOT start_and_leave: budget 60 ns, with leave_for and the way through the cache.
TEFF_ON_REAL_STACK void Context::start(Context& fresh, Function function, void* argument, After after) {
    assert(fresh.saved_ == nullptr && fresh.bytes_ != 0);
    const Places places = places_of_thread();
    const Baggage baggage = Baggage::packed_at(places);
    Departure departure{this, after, places, false, &fresh, function, argument};
    Sanitizers::start(fresh);
    Sanitizers::depart(*this, fresh, false);
    void* const arrived = teff_fiber_start(&saved_, const_cast<void*>(fresh.top()), &begin, &departure);
    static_cast<Departure*>(arrived)->arrive_at(*this, baggage);
}

// HOT start_and_leave.
TEFF_ON_REAL_STACK void Context::leave_for(Context& to, After after) {
    assert(to.saved_ != nullptr && &to != this);
    Departure departure{this, after, places_of_thread(), true};
    Frame* const target = std::exchange(to.saved_, nullptr);
    Sanitizers::depart(*this, to, true);
    teff_fiber_switch(&saved_, target, &departure);
    __builtin_unreachable();
}

bool exceptions_are_under_way() {
    const Exceptions* const exceptions = places_of_thread().exceptions;
    return exceptions != nullptr && (exceptions->caught != nullptr || static_cast<unsigned>(exceptions->uncaught) != 0);
}

bool knows_exceptions() { return get_exceptions.load(std::memory_order_relaxed) != nullptr; }

namespace {

// Searches the list of the process's mappings, read piece by piece, for the names. Returns true if
// the list cannot be read, because the library may then be loaded.
bool is_mapped(std::initializer_list<std::string_view> names) {
    constexpr std::size_t kLongest = 32;
    char text[1024];
    const base::Uncancelled whole;
    const int before = errno;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    bool found = file < 0;
    std::size_t kept = 0; // the end of the previous piece, where a name may begin
    while (!found) {
        const ssize_t count = read(file, text + kept, sizeof text - kept);
        if (count <= 0) break;
        const std::string_view piece(text, kept + static_cast<std::size_t>(count));
        found = std::any_of(names.begin(), names.end(),
                            [&](std::string_view name) { return piece.find(name) != piece.npos; });
        kept = std::min(kLongest, piece.size());
        std::memmove(text, piece.end() - kept, kept);
    }
    if (file >= 0) close(file);
    errno = before;
    return found;
}

// Called first: if there is no C++ library, dlsym and dlopen would allocate memory for a message.
// They would also wait for a program that holds the dynamic linker's lock while it waits for this
// thread.
bool cxx_library_is_loaded() { return is_mapped({"libstdc++.so", "libc++abi.so"}); }

} // namespace

void find_exceptions() {
    if (get_exceptions.load(std::memory_order_relaxed) != nullptr || !cxx_library_is_loaded()) return;
    void* found = dlsym(RTLD_DEFAULT, "__cxa_get_globals");
    // The C++ library may have been loaded for one library only, for example by Python. RTLD_NOLOAD
    // loads nothing.
    for (const char* library : {"libstdc++.so.6", "libc++abi.so.1"}) {
        if (found != nullptr) break;
        // The handle stays open, because its function is kept.
        void* const handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
        if (handle != nullptr) found = dlsym(handle, "__cxa_get_globals");
    }
    get_exceptions.store(reinterpret_cast<GetExceptions>(found), std::memory_order_relaxed);
}

} // namespace teff::fiber
