// SPDX-License-Identifier: Apache-2.0
//
// For tests only: brings the process into the state in which regions can run, as the library's
// constructor does. A test program that includes this header is in this state before its tests
// begin.
#pragma once

#include <type_traits>
#include <unistd.h>

#include "base/atomics.h"
#include "icv/icv.h"
#include "idle/limits.h"
#include "region/adopt.h"
#include "region/linger.h"
#include "region/region.h"
#include "team/pool.h"

namespace teff::region {

inline constexpr int kProcessorsStarted = 2;

inline bool start_process() {
    base::initialise_fences();
    icv::initialise(environ, kProcessorsStarted);
    idle::initialise(kProcessorsStarted);
    initialise_adoption();
    team::set_worker_main(worker_main);
    return true;
}

[[maybe_unused]] inline const bool started = start_process(); // runs once, although several files define it

// Makes a region's body from a C++ function object. The object must live until the region has
// ended.
template <class Function> team::RegionBody body_of(Function& function) {
    using Callable = std::remove_const_t<Function>;
    return {[](void* data) { (*static_cast<Callable*>(data))(); }, const_cast<Callable*>(&function)};
}

} // namespace teff::region
