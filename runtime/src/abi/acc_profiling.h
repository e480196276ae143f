// SPDX-License-Identifier: Apache-2.0
//
// OpenACC's profiling interface: callbacks that a program, or a library of ACC_PROFLIB, registers
// for events (OpenACC 2.6, chapter 5). On the host there are the events of the first use, of
// compute constructs, of data constructs and directives, and of updates. The layouts are those of
// GCC's acc_prof.h.
//
// As long as nobody has registered a callback, an event costs one load. A callback may register and
// unregister callbacks, which takes effect from the next event on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/acc_device.h"
#include "base/cache_line.h"

namespace teff::abi::acc::profiling {

// acc_event_t. An event of an end is one more than that of its start.
enum Event : int {
    kNoEvent = 0,
    kInitStart = 1,
    kEnterDataStart = 10,
    kExitDataStart = 12,
    kUpdateStart = 14,
    kComputeStart = 16,
    kEvents = 26,
};

// acc_construct_t: the construct that an event belongs to.
enum class Parent : int {
    kParallel = 0,
    kData = 3,
    kEnterData = 4,
    kExitData = 5,
    kHostData = 6,
    kUpdate = 12,
    kRoutine = 15,
    kImplicitParallel = 0x1000, // not of acc_construct_t: a parallel construct that did not ask for it
};

// acc_prof_info, acc_event_info (of the kind other_event) and acc_api_info.
struct ProfInfo {
    int event, valid_bytes, version, device_type, device_number, thread;
    long async, async_queue;
    const char *file, *function;
    int line, end_line, function_line, function_end_line;
};
struct EventInfo {
    int event, valid_bytes, parent, is_implicit;
    void* tool_info;
    void* others[4]; // of other kinds of events
};
struct ApiInfo {
    int api, valid_bytes, device_type, vendor;
    void *device, *context, *async;
};
static_assert(sizeof(ProfInfo) == 72 && sizeof(EventInfo) == 56 && sizeof(ApiInfo) == 40);

using Callback = void (*)(ProfInfo*, EventInfo*, ApiInfo*);

// acc_register_t.
enum class Change : int { kRegister = 0, kToggle = 1, kToggleOfThread = 2 };

void add(int event, Callback callback, Change change);
void remove(int event, Callback callback, Change change);
// Loads the libraries of ACC_PROFLIB. Called by the library's constructor, as libgomp does: a
// registration may start threads that use OpenACC.
void load_libraries();

namespace detail {
inline constinit std::atomic<bool> asked{false}; // somebody has registered a callback
} // namespace detail

// The events of the start and the end of something.
class Span {
  public:
    struct What {
        Event start;
        Parent parent;
        int device_type = kHost;
        int async = kSynchronous;
    };
    explicit Span(const What& what) {
        if (TEFF_UNLIKELY(detail::asked.load(std::memory_order_relaxed))) begin(what);
    }
    ~Span() {
        if (TEFF_UNLIKELY(is_told_)) end();
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

  private:
    TEFF_COLD void begin(const What& what);
    TEFF_COLD void end();
    void tell(int event);

    bool is_told_ = false;
    ProfInfo prof_;
    EventInfo event_;
    ApiInfo api_;
};

} // namespace teff::abi::acc::profiling
