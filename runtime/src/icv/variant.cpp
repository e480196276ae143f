// SPDX-License-Identifier: Apache-2.0
#include "icv/variant.h"

#include <climits>
#include <cstring>

#include "icv/parse.h"

namespace teff::icv {

namespace {

// Not ends_with and substr: their range checks would need libstdc++ at run time.
bool remove_end(std::string_view& text, std::string_view end) {
    if (text.size() < end.size() || std::memcmp(text.data() + text.size() - end.size(), end.data(), end.size()) != 0)
        return false;
    text.remove_suffix(end.size());
    return true;
}

// As it would be printed: no sign, no blank, no leading zero.
bool is_device_number(std::string_view text) {
    if (text.empty() || text.front() < '0' || text.front() > '9') return false;
    if (text.size() > 1 && text.front() == '0') return false;
    return text.back() >= '0' && text.back() <= '9' && parse::integer(text, 0, INT_MAX).has_value();
}

} // namespace

std::optional<VariantName> split_variant(std::string_view name) {
    if (remove_end(name, "_ALL")) return VariantName{name, Variant::all};
    if (remove_end(name, "_DEV")) return VariantName{name, Variant::device};
    const std::size_t last = name.rfind('_');
    if (last == std::string_view::npos) return std::nullopt;
    const std::string_view number(name.data() + last + 1, name.size() - last - 1);
    name.remove_suffix(number.size() + 1);
    if (!remove_end(name, "_DEV")) return std::nullopt;
    return VariantName{name, is_device_number(number) ? Variant::one_device : Variant::no_device_number};
}

} // namespace teff::icv
