// SPDX-License-Identifier: Apache-2.0
// Makes text from the environment safe to print: printable ASCII characters stay, and every other
// byte becomes \xNN. So no control sequence in a variable's value reaches a terminal.
#pragma once

#include <array>
#include <cstdio>
#include <string_view>

namespace teff::icv {

void write_escaped(std::FILE* out, std::string_view text);

// The first kExcerptBytes bytes of a text, escaped, with "..." behind them if the text is longer.
// The result is zero-terminated.
inline constexpr std::size_t kExcerptBytes = 40;
struct Excerpt {
    std::array<char, kExcerptBytes * 4 + sizeof "..."> text;
};
Excerpt excerpt(std::string_view text);

} // namespace teff::icv
