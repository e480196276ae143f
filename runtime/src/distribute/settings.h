// SPDX-License-Identifier: Apache-2.0
//
// Parses TEFF_DISTRIBUTE, the variable that says how this process spreads its big allocations.
// `teff run --distribute` sets it. The functions are pure: their results depend only on the text
// that they are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace teff::distribute {

enum class Spread : std::uint8_t {
    fine,   // the pages of an allocation go to all nodes in turn
    coarse, // all pages of an allocation go to one node, those of the next allocation to the next node
};

struct Settings {
    Spread spread = Spread::fine;
    std::size_t at_least_bytes = kDefaultBytes; // smaller allocations are left alone
    long filters = 0;                           // the number of filters when the first program started (process.h)
    bool one_node_too = false;                  // for tests: spread also if there is only one node

    static constexpr std::size_t kDefaultBytes = std::size_t{1} << 20;
    static constexpr std::size_t kLeastBytes = std::size_t{1} << 16, kMostBytes = std::size_t{1} << 40;
    static constexpr std::size_t kMostFilters = 32768; // the kernel limits the length of all filters, not their number
};

// Returns nothing if the text is not a decimal number or the number is above `most`.
inline std::optional<std::size_t> read_number(std::string_view text, std::size_t most) {
    std::size_t number = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9' || number > most) return std::nullopt;
        number = number * 10 + static_cast<std::size_t>(digit - '0');
    }
    return text.empty() || number > most ? std::nullopt : std::optional(number);
}

// Parses SPREAD[:BYTES[:filters=NUMBER][:one_node_too]]. Returns nothing if the text does not have
// this form.
inline std::optional<Settings> read_settings(std::string_view text) {
    const auto next_word = [&text] {
        const std::string_view word(text.data(), text.find(':') < text.size() ? text.find(':') : text.size());
        text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
        return word;
    };
    if (text.empty() || text.back() == ':') return std::nullopt;
    Settings settings;
    const std::string_view spread = next_word(), bytes = next_word();
    if (spread != "fine" && spread != "coarse") return std::nullopt;
    settings.spread = spread == "fine" ? Spread::fine : Spread::coarse;
    if (!bytes.empty()) {
        const auto number = read_number(bytes, Settings::kMostBytes);
        if (!number || *number < Settings::kLeastBytes) return std::nullopt;
        settings.at_least_bytes = *number;
    }
    constexpr std::string_view kFilters = "filters=";
    while (!text.empty()) {
        std::string_view word = next_word();
        if (word == "one_node_too") {
            settings.one_node_too = true;
            continue;
        }
        if (word.substr(0, kFilters.size()) != kFilters) return std::nullopt;
        word.remove_prefix(kFilters.size());
        const auto number = read_number(word, Settings::kMostFilters);
        if (!number) return std::nullopt;
        settings.filters = static_cast<long>(*number);
    }
    return settings;
}

} // namespace teff::distribute
