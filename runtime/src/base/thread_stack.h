// SPDX-License-Identifier: Apache-2.0
// The size of the stack that the system gives a thread for which nobody has asked for another size.
#pragma once

#include <cstddef>
#include <pthread.h>

namespace teff::base {

// In bytes; 0 if it is not known.
inline std::size_t default_stack_bytes() {
    std::size_t bytes = 0;
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0) return 0;
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return bytes;
}

} // namespace teff::base
