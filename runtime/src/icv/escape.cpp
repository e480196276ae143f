// SPDX-License-Identifier: Apache-2.0
#include "icv/escape.h"

#include <cstddef>
#include <cstring>

namespace teff::icv {

namespace {

struct EscapedByte {
    char text[4];
    std::size_t size;
};

EscapedByte escape_byte(char c) {
    if (c >= ' ' && c <= '~') return {{c}, 1};
    static constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    return {{'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]}, 4};
}

} // namespace

void write_escaped(std::FILE* out, std::string_view text) {
    for (const char c : text) {
        const EscapedByte escaped = escape_byte(c);
        std::fwrite(escaped.text, 1, escaped.size, out);
    }
}

Excerpt excerpt(std::string_view text) {
    Excerpt result;
    char* end = result.text.data();
    std::size_t taken = 0;
    for (const char c : text) {
        if (taken++ == kExcerptBytes) {
            std::strcpy(end, "...");
            return result;
        }
        const EscapedByte escaped = escape_byte(c);
        std::memcpy(end, escaped.text, escaped.size);
        end += escaped.size;
    }
    *end = '\0';
    return result;
}

} // namespace teff::icv
