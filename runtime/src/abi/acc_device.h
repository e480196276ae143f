// SPDX-License-Identifier: Apache-2.0
//
// OpenACC's devices. The host is the only one: its number is 0, and its memory is the program's
// memory.
//
// A process begins to use OpenACC with its first construct, or with a call of a routine that needs
// a device. Then the environment is looked at (ACC_DEVICE_TYPE, ACC_DEVICE_NUM). If several threads
// begin at once, one of them does this, and the others wait. The use ends with acc_shutdown, and
// may begin again.
// [begin-1] A thread that sees that OpenACC is in use also sees what was registered before that.
#pragma once

#include <atomic>

#include "base/cache_line.h"

namespace teff::abi::acc {

// Types of devices, as GCC's openacc.h numbers them (acc_device_t).
inline constexpr int kCurrent = -1, kNone = 0, kDefault = 1, kHost = 2, kNotHost = 4, kNvidia = 5, kRadeon = 8;
inline constexpr int kHostNumber = 0;

// The values of an `async` argument that are not the number of a queue (acc_async_t).
inline constexpr int kNoValue = -1, kSynchronous = -2;

// Ends the program with a message if `type` is not a type of devices.
void check_type(int type);
// Ends the program with a message if there is no device of the type.
void check_available(int type);
// Ends the program with a message if the host does not have this number. A negative number means
// the number that is in use.
void check_number(int number);
// Returns how many devices of the type there are: 0 or 1.
int count(int type);

namespace detail {
inline constinit std::atomic<bool> in_use{false};
TEFF_COLD void begin_use(int type);
} // namespace detail

inline bool is_in_use() { return detail::in_use.load(std::memory_order_acquire); } // [begin-1]
// Called by each construct, and by each routine that needs a device. ACC_DEVICE_TYPE matters if the
// program does not name the type itself.
inline void use(int type = kDefault) {
    if (TEFF_UNLIKELY(!is_in_use())) detail::begin_use(type);
}

// Returns true in a callback of the profiling interface that the calling thread makes because the
// use begins.
bool is_beginning();

// acc_init and acc_shutdown. They end the program with a message if OpenACC is in use already, or
// is not in use.
void begin_use(int type);
void end_use(int type);

} // namespace teff::abi::acc
