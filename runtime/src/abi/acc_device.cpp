// SPDX-License-Identifier: Apache-2.0
#include "abi/acc_device.h"

#include <pthread.h>
#include <strings.h>

#include "abi/acc_profiling.h"
#include "abi/first_use.h"
#include "base/report.h"
#include "icv/icv.h"

namespace teff::abi::acc {

namespace {

const char* name_of(int type) {
    switch (type) {
    case kNone:
        return "none";
    case kDefault:
        return "default";
    case kHost:
        return "host";
    case kNotHost:
        return "not_host";
    case kNvidia:
        return "nvidia";
    case kRadeon:
        return "radeon";
    default:
        return "unknown";
    }
}

bool is_type(int type) { return type >= kNone && type <= kRadeon; }

bool environment_names_host() {
    const auto wanted = icv::global().acc_device_type;
    return wanted.empty() || (wanted.size() == 4 && strncasecmp(wanted.data(), "host", 4) == 0);
}

void check_type_of_environment() {
    const auto wanted = icv::global().acc_device_type;
    if (!environment_names_host())
        base::fatal(0, "ACC_DEVICE_TYPE is %.*s: there is no such device; OpenACC runs on the host only",
                    static_cast<int>(wanted.size()), wanted.data());
}

void check_number_of_environment() {
    const int number = icv::global().acc_device_number;
    if (number != kHostNumber)
        base::fatal(0, "ACC_DEVICE_NUM is %d: there is one device, the host, and its number is 0", number);
}

// Held by a thread while it begins the use, so that the event of the beginning comes before those
// of other threads. The thread may use OpenACC in a callback, and then it locks the mutex once
// more.
class Beginning {
  public:
    Beginning() { pthread_mutex_lock(&mutex_); }
    ~Beginning() { pthread_mutex_unlock(&mutex_); }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

  private:
    static inline pthread_mutex_t mutex_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
};

void prepare() {
    first_use();
    check_number_of_environment();
}

constinit std::atomic<pthread_t> telling_thread{};

void tell_of_begin(int type, profiling::Parent parent) {
    telling_thread.store(pthread_self(), std::memory_order_relaxed);
    {
        const profiling::Span span({.start = profiling::kInitStart, .parent = parent, .device_type = type});
    }
    telling_thread.store({}, std::memory_order_relaxed);
}

} // namespace

bool is_beginning() { return telling_thread.load(std::memory_order_relaxed) == pthread_self(); }

void check_type(int type) {
    if (!is_type(type)) base::fatal(0, "OpenACC: unknown device type %d", type);
}

int count(int type) { return type == kHost || (type == kDefault && environment_names_host()) ? 1 : 0; }

void check_available(int type) {
    if (type == kDefault) check_type_of_environment();
    if (count(type) == 0) base::fatal(0, "OpenACC: there is no device of type %s, only the host", name_of(type));
}

void check_number(int number) {
    if (number > kHostNumber)
        base::fatal(0, "OpenACC: there is no device %d: the host is the only one, and its number is 0", number);
}

void detail::begin_use(int type) {
    const Beginning only_this_thread;
    if (is_in_use()) return;
    check_available(type);
    prepare();
    // A callback may have begun the use. [begin-1]
    if (!in_use.exchange(true, std::memory_order_release))
        tell_of_begin(kDefault, profiling::Parent::kImplicitParallel);
}

void begin_use(int type) {
    check_available(type);
    const Beginning only_this_thread;
    prepare();
    if (detail::in_use.exchange(true, std::memory_order_release)) // [begin-1]
        base::fatal(0, "OpenACC: acc_init: device already active: OpenACC is in use");
    tell_of_begin(type, profiling::Parent::kRoutine);
}

void end_use(int type) {
    check_available(type);
    if (!detail::in_use.exchange(false, std::memory_order_relaxed))
        base::fatal(0, "OpenACC: acc_shutdown: no device initialized: OpenACC is not in use");
}

} // namespace teff::abi::acc
