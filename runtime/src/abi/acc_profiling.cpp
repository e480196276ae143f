// SPDX-License-Identifier: Apache-2.0
#include "abi/acc_profiling.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

#include "abi/export.h"
#include "base/report.h"
#include "icv/icv.h"
#include "sync/mutex.h"

namespace teff::abi::acc::profiling {

namespace {

constexpr int kVersion = 201711; // OpenACC 2.6
constexpr int kUnknown = -1;     // a line, a thread, a vendor
constexpr std::size_t kMostCallbacks = 16;

struct Registered {
    Callback callback;
    int times;
    bool is_on;
};

// The callbacks of an event, in the order in which they are called: those of ends in the reverse
// order of their registration.
struct Callbacks {
    Registered entries[kMostCallbacks];
    std::size_t count;
    bool is_off;

    Registered* find(Callback callback) {
        Registered* const end = entries + count;
        Registered* const found =
            std::find_if(entries, end, [=](const Registered& of) { return of.callback == callback; });
        return found != end ? found : nullptr;
    }
};

constinit sync::Mutex mutex; // for what follows
constinit Callbacks callbacks[kEvents]{};

// Whether a thread has switched off its events: its value is null as long as it has not.
pthread_key_t off_key;
bool has_key = false;

bool is_event(int event) { return event >= kNoEvent && event < kEvents; }

// Of data, of launches and of waits, and of pairs from kInitStart on.
bool is_end(int event) {
    constexpr int kRuntimeShutdown = 5, kFree = 9;
    if (event < kRuntimeShutdown) return event != kNoEvent && event % 2 == 0;
    return event > kFree && event % 2 == 1;
}

bool is_off_for_thread() {
    mutex.lock();
    const bool may_be_off = has_key;
    mutex.unlock();
    return may_be_off && pthread_getspecific(off_key) != nullptr;
}

void switch_thread(bool on) {
    mutex.lock();
    if (!has_key) has_key = pthread_key_create(&off_key, nullptr) == 0;
    mutex.unlock();
    if (has_key) pthread_setspecific(off_key, on ? nullptr : &off_key);
}

void add_to(Callbacks& of, int event, Callback callback) {
    if (Registered* const known = of.find(callback)) {
        ++known->times;
        return;
    }
    if (of.count == kMostCallbacks) {
        base::warn("OpenACC: event %d has %zu callbacks: a further one is not called", event, kMostCallbacks);
        return;
    }
    Registered* const at = is_end(event) ? of.entries : of.entries + of.count;
    std::move_backward(at, of.entries + of.count, of.entries + of.count + 1);
    *at = {callback, 1, true};
    ++of.count;
}

void remove_from(Callbacks& of, Callback callback) {
    Registered* const known = of.find(callback);
    if (known == nullptr || --known->times > 0) return;
    std::move(known + 1, of.entries + of.count, known);
    --of.count;
}

// Without a callback, the switch is that of the event, and without an event that of all.
void toggle(int event, Callback callback, bool on) {
    if (callback == nullptr) callbacks[event].is_off = !on;
    else if (Registered* const known = callbacks[event].find(callback)) known->is_on = on;
}

void change(int event, Callback callback, Change what, bool adds) {
    if (!is_event(event)) return;
    if (what == Change::kToggleOfThread) {
        if (event == kNoEvent && callback == nullptr) switch_thread(adds);
        return;
    }
    mutex.lock();
    if (what == Change::kToggle) toggle(event, callback, adds);
    else if (what == Change::kRegister && adds) add_to(callbacks[event], event, callback);
    else if (what == Change::kRegister) remove_from(callbacks[event], callback);
    mutex.unlock();
}

using Register = void (*)(int event, Callback callback, Change change);
using Lookup = void (*(*)(const char* name))();
using Start = void (*)(Register add, Register remove, Lookup lookup);

// No function of the runtime can be looked up.
void (*look_up(const char*))() { return nullptr; }

void load(const char* path) {
    void* const library = dlopen(path, RTLD_LAZY);
    const auto start = library != nullptr ? reinterpret_cast<Start>(dlsym(library, "acc_register_library")) : Start{};
    if (start != nullptr) return start(add, remove, look_up);
    base::warn("ACC_PROFLIB: %s: %s", path, dlerror());
    if (library != nullptr) dlclose(library);
}

} // namespace

void add(int event, Callback callback, Change what) {
    detail::asked.store(true, std::memory_order_relaxed);
    change(event, callback, what, true);
}

void remove(int event, Callback callback, Change what) { change(event, callback, what, false); }

void load_libraries() {
    const char* at = icv::global().acc_proflib.data();
    while (at != nullptr && *at != '\0') {
        const std::size_t length = std::strcspn(at, ";");
        if (char* const path = length != 0 ? strndup(at, length) : nullptr) {
            load(path);
            std::free(path);
        }
        at += length + (at[length] == ';' ? 1 : 0);
    }
}

void Span::begin(const What& what) {
    mutex.lock();
    const bool is_off = callbacks[kNoEvent].is_off;
    mutex.unlock();
    if (is_off || is_off_for_thread()) return;
    const bool is_implicit = what.parent == Parent::kImplicitParallel;
    const Parent parent = is_implicit ? Parent::kParallel : what.parent;
    prof_ = {.event = what.start,
             .valid_bytes = sizeof prof_,
             .version = kVersion,
             .device_type = what.device_type,
             .device_number = kHostNumber,
             .thread = kUnknown,
             .async = what.async,
             .async_queue = what.async,
             .file = nullptr,
             .function = nullptr,
             .line = kUnknown,
             .end_line = kUnknown,
             .function_line = kUnknown,
             .function_end_line = kUnknown};
    event_ = {.event = what.start,
              .valid_bytes = offsetof(EventInfo, others),
              .parent = static_cast<int>(parent),
              .is_implicit = is_implicit,
              .tool_info = nullptr,
              .others = {}};
    api_ = {.api = 0,
            .valid_bytes = sizeof api_,
            .device_type = what.device_type,
            .vendor = kUnknown,
            .device = nullptr,
            .context = nullptr,
            .async = nullptr};
    is_told_ = true;
    tell(what.start);
}

void Span::end() { tell(event_.event + 1); }

void Span::tell(int event) {
    prof_.event = event_.event = event;
    mutex.lock();
    const Callbacks now = callbacks[event];
    mutex.unlock();
    if (now.is_off) return;
    for (std::size_t i = 0; i < now.count; ++i)
        if (now.entries[i].is_on) now.entries[i].callback(&prof_, &event_, &api_);
}

} // namespace teff::abi::acc::profiling

namespace profiling = teff::abi::acc::profiling;

TEFF_EXPORT void acc_prof_register(int event, profiling::Callback callback, profiling::Change change) {
    profiling::add(event, callback, change);
}
TEFF_EXPORT void acc_prof_unregister(int event, profiling::Callback callback, profiling::Change change) {
    profiling::remove(event, callback, change);
}
TEFF_EXPORT void (*acc_prof_lookup(const char*))() { return nullptr; }
// A library of ACC_PROFLIB has a function of this name. This one is called by nobody, except by
// another runtime that finds it by its name: there is nothing to register.
TEFF_EXPORT void acc_register_library(void*, void*, void*) {}
