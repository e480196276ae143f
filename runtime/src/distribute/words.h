// SPDX-License-Identifier: Apache-2.0
//
// The messages of libteff-distribute.so, each a whole line. The texts are constants, because the
// code that prints them may run inside malloc or a signal handler.
#pragma once

#include <string_view>

#include "base/standard_error.h"

namespace teff::distribute {

inline void say(std::string_view line) { (void)base::write_at_once(line.data(), line.size()); }

namespace words {
inline constexpr std::string_view kNotValid =
    "teff: warning: TEFF_DISTRIBUTE is not valid: expected fine or coarse, then maybe :BYTES from 65536 to "
    "1099511627776; nothing is distributed\n";
inline constexpr std::string_view kRefused =
    "teff: warning: the system refuses to spread memory over its nodes (mbind): teff run --distribute has no "
    "effect\n";
inline constexpr std::string_view kNotPlaced =
    "teff: warning: some memory cannot be spread over the nodes and lies where it is touched first (mbind)\n";
inline constexpr std::string_view kRestricted =
    "teff: warning: the program restricts its own system calls: what it allocates from here on is not distributed\n";
} // namespace words

} // namespace teff::distribute
