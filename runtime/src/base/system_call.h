// SPDX-License-Identifier: Apache-2.0
//
// Makes system calls that the program does not notice. The calls bypass the C library, so errno is
// unchanged and the call is not a cancellation point of POSIX. (A test from outside can also
// distinguish these calls from the program's own calls.) uncancelled.h is for calls through the C
// library.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <type_traits>

#include "base/arch/arch.h"

namespace teff::base {

namespace detail {
template <class Argument> long as_register(Argument argument) {
    if constexpr (std::is_null_pointer_v<Argument>) return 0;
    else if constexpr (std::is_pointer_v<Argument>) return std::bit_cast<long>(argument);
    else return static_cast<long>(argument);
}
} // namespace detail

// Returns the result of the system call; if the call fails, minus an errno value.
template <class... Arguments> long call(long number, Arguments... arguments) {
    static_assert(sizeof...(arguments) <= 6);
    const long registers[6] = {detail::as_register(arguments)...};
    return arch::system_call(number, registers[0], registers[1], registers[2], registers[3], registers[4],
                             registers[5]);
}

// Returns true if `result`, of a call that returns an address, is minus an errno value: the call
// has failed.
inline bool is_error(long result) { return result < 0 && result > -4096; }

// Identifies a file independently of its name.
struct Identity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
};
inline Identity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

} // namespace teff::base
