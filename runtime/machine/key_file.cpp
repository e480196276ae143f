// SPDX-License-Identifier: Apache-2.0
#include "machine/key_file.h"

#include <cmath>
#include <fstream>

namespace teff::machine {

namespace {

constexpr std::size_t kMostBytes = 1'000'000; // of a file

// The name and its cycles in the example.
std::string pair_of(std::string_view example, std::string_view name) {
    const Words words = split(example);
    const auto at = std::find(words.begin(), words.end(), name);
    return at == words.end() ? std::string() : std::string(name) + " " + std::string(*std::next(at));
}

} // namespace

Words split(std::string_view line) {
    Words words;
    line = line.substr(0, line.find('#'));
    for (;;) {
        const auto begin = line.find_first_not_of(" \t\r");
        if (begin == line.npos) return words;
        const auto end = std::min(line.find_first_of(" \t\r", begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        line.remove_prefix(end);
    }
}

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

Problem whole(std::string_view word, std::uint64_t least, std::uint64_t most, std::uint64_t& value) {
    if (read(word, value) && value >= least && value <= most) return {};
    return quoted(word) + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

Problem cycles(std::string_view word, Time& value) {
    constexpr double kMost = 1e9;
    double number = 0;
    if (!read(word, number) || !(number >= 0 && number <= kMost))
        return quoted(word) + " is no number of cycles from 0 to 1e9";
    value = static_cast<Time>(std::llround(number * static_cast<double>(kCycle)));
    return {};
}

Problem plain_word(const Words& words, std::string& value) {
    if (words.size() != 2) return "write one word behind it";
    value = words[1];
    const bool plain =
        std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; });
    return plain ? Problem() : "write printable ASCII characters alone, without \" and \\";
}

Problem named_times(const Words& words, std::span<const NamedTime> parts, std::string_view example) {
    if (words.size() < 3 || words.size() % 2 == 0) return "write pairs of a name and cycles: " + std::string(example);
    for (std::size_t i = 1; i < words.size(); i += 2) {
        const auto part =
            std::find_if(parts.begin(), parts.end(), [&](const NamedTime& p) { return p.name == words[i]; });
        if (part == parts.end()) {
            std::string names;
            for (const NamedTime& each : parts)
                names += (names.empty() ? "" : ", ") + std::string(each.name);
            return quoted(words[i]) + " is none of " + names;
        }
        if (Problem problem = cycles(words[i + 1], part->value); !problem.empty()) return problem;
    }
    for (const NamedTime& part : parts)
        if (part.needed && std::find(words.begin() + 1, words.end(), part.name) == words.end())
            return std::string(part.name) + " is missing; add it: " + pair_of(example, part.name);
    return {};
}

bool read_file(const std::string& path, std::string_view documentation, std::string& text, std::string& error) {
    std::ifstream file(path);
    if (!file) {
        error = path + ": cannot be read; name a file as " + std::string(documentation) + " tells";
        return false;
    }
    text.assign(kMostBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad()) error = path + ": cannot be read as a file; a directory is none";
    else if (text.size() > kMostBytes) error = path + ": has more than 1 MB, and describes no machine";
    return error.empty();
}

} // namespace teff::machine
