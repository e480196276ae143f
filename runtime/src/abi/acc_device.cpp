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

void check_environment() {
    const icv::GlobalIcvs& icvs = icv::global();
    const auto wanted = icvs.acc_device_type;
    const bool wants_host = wanted.empty() || (wanted.size() == 4 && strncasecmp(wanted.data(), "host", 4) == 0);
    if (!wants_host)
        base::fatal(0, "ACC_DEVICE_TYPE is %.*s: there is no such device; OpenACC runs on the host only",
                    static_cast<int>(wanted.size()), wanted.data());
    if (icvs.acc_device_number != kHostNumber)
        base::fatal(0, "ACC_DEVICE_NUM is %d: there is one device, the host, and its number is 0",
                    icvs.acc_device_number);
}

void prepare() {
    first_use();
    check_environment();
    profiling::load_libraries();
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

int count(int type) { return type == kDefault || type == kHost ? 1 : 0; }

void check_available(int type) {
    if (count(type) == 0) base::fatal(0, "OpenACC: there is no device of type %s, only the host", name_of(type));
}

void check_number(int number) {
    if (number > kHostNumber)
        base::fatal(0, "OpenACC: there is no device %d: the host is the only one, and its number is 0", number);
}

void detail::begin_use() {
    prepare();
    if (!in_use.exchange(true, std::memory_order_relaxed))
        tell_of_begin(kDefault, profiling::Parent::kImplicitParallel);
}

void begin_use(int type) {
    check_available(type);
    prepare();
    if (detail::in_use.exchange(true, std::memory_order_relaxed))
        base::fatal(0, "OpenACC: acc_init: device already active: OpenACC is in use");
    tell_of_begin(type, profiling::Parent::kRoutine);
}

void end_use(int type) {
    check_available(type);
    if (!detail::in_use.exchange(false, std::memory_order_relaxed))
        base::fatal(0, "OpenACC: acc_shutdown: no device initialized: OpenACC is not in use");
}

} // namespace teff::abi::acc
