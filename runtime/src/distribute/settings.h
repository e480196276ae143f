// SPDX-License-Identifier: Apache-2.0
//
// What TEFF_DISTRIBUTE says, which `teff run --distribute` sets: how this process spreads its big
// allocations. A pure function of its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace teff::distribute {

enum class Spread : std::uint8_t {
    fine,   // page by page over all nodes
    coarse, // an allocation on one node, the next one on the next
};

struct Settings {
    Spread spread = Spread::fine;
    std::size_t at_least_bytes = kDefaultBytes; // smaller allocations are left alone
    bool one_node_too = false;                  // spread over a single node, for tests

    static constexpr std::size_t kDefaultBytes = std::size_t{1} << 20;
    static constexpr std::size_t kLeastBytes = std::size_t{1} << 16, kMostBytes = std::size_t{1} << 40;
};

// SPREAD[:BYTES[:one_node_too]]. Nothing: the text is something else.
inline std::optional<Settings> read_settings(std::string_view text) {
    const auto next_word = [&text] {
        const std::string_view word(text.data(), text.find(':') < text.size() ? text.find(':') : text.size());
        text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
        return word;
    };
    Settings settings;
    const std::string_view spread = next_word(), bytes = next_word(), rest = text;
    if (spread != "fine" && spread != "coarse") return std::nullopt;
    settings.spread = spread == "fine" ? Spread::fine : Spread::coarse;
    if (!bytes.empty()) {
        settings.at_least_bytes = 0;
        for (const char digit : bytes) {
            if (digit < '0' || digit > '9' || settings.at_least_bytes > Settings::kMostBytes) return std::nullopt;
            settings.at_least_bytes = settings.at_least_bytes * 10 + static_cast<std::size_t>(digit - '0');
        }
    }
    const bool in_range =
        settings.at_least_bytes >= Settings::kLeastBytes && settings.at_least_bytes <= Settings::kMostBytes;
    if (!in_range || (!rest.empty() && rest != "one_node_too")) return std::nullopt;
    settings.one_node_too = !rest.empty();
    return settings;
}

} // namespace teff::distribute
