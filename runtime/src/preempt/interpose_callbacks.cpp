// SPDX-License-Identifier: Apache-2.0
#include "preempt/interpose.h"

#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include "preempt/hold.h"
#include "preempt/preempt.h"

// Functions of the C++ library, if the program has one.
extern "C" {
[[gnu::weak]] int __cxa_guard_acquire(std::int64_t* guard);
[[gnu::weak]] void __cxa_guard_release(std::int64_t* guard);
[[gnu::weak]] void __cxa_guard_abort(std::int64_t* guard);
}

namespace teff::preempt {

namespace {

// What it calls may throw past this: then the hold stays until the task ends, and its count with
// it.
template <auto Real> struct CallsBack;
template <bool nothrow, class Result, class... Arguments, Result (*Real)(Arguments...) noexcept(nothrow)>
struct CallsBack<Real> {
    struct Held {
        const void* const caller;
        explicit Held(const void* at) : caller(at) { hold(); }
        ~Held() { release(caller); }
    };
    static Result call(Arguments... arguments) {
        const Held held(__builtin_return_address(0));
        return Real(arguments...);
    }
};

// What the runtime is not linked with. Each is written once or again with the same value, before
// any object gets the function that calls it.
struct Guards {
    int (*acquire)(std::int64_t*) = nullptr;
    void (*release)(std::int64_t*) = nullptr;
    void (*abort)(std::int64_t*) = nullptr;
};
constinit Guards guards;

// The initialisation of a static runs from here to release or abort. The thread would wait for ever
// if it came to the same one again in another task.
int acquire_guard(std::int64_t* guard) {
    const int is_ours = guards.acquire(guard);
    if (is_ours != 0) hold();
    return is_ours;
}
void release_guard(std::int64_t* guard) {
    guards.release(guard);
    release(__builtin_return_address(0));
}
void abort_guard(std::int64_t* guard) {
    guards.abort(guard);
    release(__builtin_return_address(0));
}

// Constructors of what is loaded run inside.
void* load(const char* path, int mode) {
    hold();
    void* const handle = dlopen(path, mode);
    if (is_on() && handle != nullptr) refresh();
    release(__builtin_return_address(0));
    return handle;
}

[[noreturn]] void exit_in_order(int status) {
    hold();
    exit(status);
}
[[noreturn]] void exit_quickly(int status) {
    hold();
    quick_exit(status);
}

template <auto Real> Interposed calls_back(const char* name) { return {name, address_of(&CallsBack<Real>::call)}; }

template <class Function> Function function_at(void* handle, const char* name) {
    return reinterpret_cast<Function>(dlsym(handle, name));
}

} // namespace

void find_real_functions() {
    if (guards.acquire != nullptr) return;
    guards = {&__cxa_guard_acquire, &__cxa_guard_release, &__cxa_guard_abort};
    if (guards.acquire != nullptr) return;
    for (const char* library : {static_cast<const char*>(nullptr), "libstdc++.so.6", "libc++abi.so.1"}) {
        // Stays open, as its functions are kept. The first is the program, with all that it needs.
        void* const handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
        if (handle == nullptr || dlsym(handle, "__cxa_guard_acquire") == nullptr) continue;
        guards = {function_at<int (*)(std::int64_t*)>(handle, "__cxa_guard_acquire"),
                  function_at<void (*)(std::int64_t*)>(handle, "__cxa_guard_release"),
                  function_at<void (*)(std::int64_t*)>(handle, "__cxa_guard_abort")};
        return;
    }
}

std::span<const Interposed> interposed_callbacks() {
    static Interposed callbacks[] = {
        {"__cxa_guard_acquire", nullptr},
        {"__cxa_guard_release", nullptr},
        {"__cxa_guard_abort", nullptr},
        calls_back<&pthread_once>("pthread_once"),
        calls_back<&call_once>("call_once"),
        {"dlopen", address_of(&load), Condition::no_run_path},
        calls_back<&dlclose>("dlclose"),
        calls_back<&dl_iterate_phdr>("dl_iterate_phdr"),
        calls_back<&fork>("fork"),
        {"exit", address_of(&exit_in_order)},
        {"quick_exit", address_of(&exit_quickly)},
    };
    if (guards.acquire != nullptr) {
        callbacks[0].function = address_of(&acquire_guard);
        callbacks[1].function = address_of(&release_guard);
        callbacks[2].function = address_of(&abort_guard);
    }
    return callbacks;
}

} // namespace teff::preempt
