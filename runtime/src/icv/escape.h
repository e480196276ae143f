// SPDX-License-Identifier: Apache-2.0
// Text from the environment made safe to show: printable ASCII stays, every other byte becomes
// \xNN. A terminal never gets control sequences from a variable's value.
#pragma once

#include <array>
#include <cstdio>
#include <string_view>

namespace teff::icv {

void write_escaped(std::FILE* out, std::string_view text);

// The beginning of a text, escaped, with "..." if it goes on. Zero-terminated.
inline constexpr std::size_t kExcerptBytes = 40;
struct Excerpt {
    std::array<char, kExcerptBytes * 4 + sizeof "..."> text;
};
Excerpt excerpt(std::string_view text);

} // namespace teff::icv
