// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of OpenACC's constructs. The host is the only device: a compute construct
// is a call on the calling thread, with the host's data, and no data are mapped. All is done when a
// function returns, so that queues of async clauses are empty at any time.
#include <cstddef>

#include "abi/acc_device.h"
#include "abi/acc_profiling.h"
#include "abi/export.h"

using namespace teff::abi;
using acc::profiling::Parent;
using acc::profiling::Span;

namespace {

using Body = void (*)(void*);

// Kinds of mappings, as GCC's gomp-constants.h numbers them. Flags lie above the kind.
constexpr unsigned kKind = 0xff;
constexpr unsigned kForceDevicePointer = 0x08, kUseDevicePointer = 0x0e;

struct Mappings {
    std::size_t count;
    void** addresses;
    const std::size_t* sizes;
    const unsigned short* kinds;

    unsigned kind(std::size_t at) const { return kinds[at] & kKind; }
};

// The deviceptr clause of Fortran has two entries: the data's address, and a pointer to it. Only
// the second is used. GCC's compute constructs pass both, and expect null for the first.
void leave_out_device_data(const Mappings& of) {
    for (std::size_t i = 0; i < of.count; ++i)
        if (of.kind(i) == kForceDevicePointer && of.sizes[i] != sizeof(void*)) of.addresses[i] = nullptr;
}

bool is_of_host_data(const Mappings& of) {
    for (std::size_t i = 0; i < of.count; ++i)
        if (of.kind(i) == kUseDevicePointer) return true;
    return false;
}

// GCC calls one function for both directives up to GCC 11. Attaching and pointers are of either.
bool is_enter_data(const Mappings& of) {
    constexpr unsigned kAlloc = 0, kTo = 1, kForce = 0x80, kForcePresent = 6, kAttach = 0x50;
    for (std::size_t i = 0; i < of.count; ++i) {
        const unsigned kind = of.kind(i);
        if (kind == kAlloc || kind == kTo || kind == kForce || kind == (kForce | kTo) || kind == kForcePresent ||
            kind == kAttach)
            return true;
    }
    return false;
}

void run(Body body, void** addresses) {
    acc::use();
    const Span span({.start = acc::profiling::kComputeStart, .parent = Parent::kParallel});
    body(addresses);
}

void enter_data(int async) {
    acc::use();
    const Span span({.start = acc::profiling::kEnterDataStart, .parent = Parent::kEnterData, .async = async});
}

void exit_data(int async) {
    acc::use();
    const Span span({.start = acc::profiling::kExitDataStart, .parent = Parent::kExitData, .async = async});
}

} // namespace

TEFF_EXPORT void GOACC_parallel_keyed(int, Body body, std::size_t count, void** addresses, std::size_t* sizes,
                                      unsigned short* kinds, ...) {
    leave_out_device_data({count, addresses, sizes, kinds});
    run(body, addresses);
}
TEFF_EXPORT void GOACC_parallel(int, Body body, std::size_t, void** addresses, std::size_t*, unsigned short*, int, int,
                                int, int, int, ...) {
    run(body, addresses);
}

// GCC marks both ends of a data construct, and those of a host_data construct.
TEFF_EXPORT void GOACC_data_start(int, std::size_t count, void** addresses, std::size_t* sizes, unsigned short* kinds) {
    acc::use();
    const bool is_host_data = is_of_host_data({count, addresses, sizes, kinds});
    const Span span(
        {.start = acc::profiling::kEnterDataStart, .parent = is_host_data ? Parent::kHostData : Parent::kData});
}
TEFF_EXPORT void GOACC_data_end() {
    const Span span({.start = acc::profiling::kExitDataStart, .parent = Parent::kData});
}

TEFF_EXPORT void GOACC_enter_exit_data(int, std::size_t count, void** addresses, std::size_t* sizes,
                                       unsigned short* kinds, int async, int, ...) {
    if (is_enter_data({count, addresses, sizes, kinds})) enter_data(async);
    else exit_data(async);
}
TEFF_EXPORT void GOACC_enter_data(int, std::size_t, void**, std::size_t*, unsigned short*, int async, int, ...) {
    enter_data(async);
}
TEFF_EXPORT void GOACC_exit_data(int, std::size_t, void**, std::size_t*, unsigned short*, int async, int, ...) {
    exit_data(async);
}

TEFF_EXPORT void GOACC_update(int, std::size_t, void**, std::size_t*, unsigned short*, int async, int, ...) {
    acc::use();
    const Span span({.start = acc::profiling::kUpdateStart, .parent = Parent::kUpdate, .async = async});
}

TEFF_EXPORT void GOACC_declare(int, std::size_t, void**, std::size_t*, unsigned short*) { acc::use(); }
TEFF_EXPORT void GOACC_wait(int, int, ...) { acc::use(); }

// Of programs that GCC 5 built.
TEFF_EXPORT int GOACC_get_num_threads() { return 1; }
TEFF_EXPORT int GOACC_get_thread_num() { return 0; }
