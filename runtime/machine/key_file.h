// SPDX-License-Identifier: Apache-2.0
//
// KeyFile: reads text files of keys and values, which describe modelled machines.
//
// A line has a key and its values; `#` begins a comment. For each key there is a function that
// reads the key's line into a plain value. A mistake is reported with FILE:LINE, what is wrong, and
// what to do; for a missing key, the report names the last line. A KeyFile owns nothing.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace teff::machine {

using Time = std::uint64_t;
inline constexpr Time kCycle = 1000; // times are in thousandths of a cycle

using Words = std::vector<std::string_view>;

// What is wrong, or an empty text.
using Problem = std::string;

// A mistake of the whole file, and the line that has to be corrected.
struct Fault {
    unsigned line = 0;
    Problem problem;
};

Words split(std::string_view line);
std::string quoted(std::string_view word);

template <class Number> bool read(std::string_view word, Number& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
}

Problem whole(std::string_view word, std::uint64_t least, std::uint64_t most, std::uint64_t& value);
// Reads a number of cycles, with up to three digits after the point.
Problem cycles(std::string_view word, Time& value);
// Reads a word that can be written into messages and JSON without changes.
Problem plain_word(const Words& words, std::string& value);

template <auto kField, std::uint64_t kLeast, std::uint64_t kMost, class Into>
Problem number(const Words& words, Into& to) {
    std::uint64_t value = 0;
    if (words.size() != 2) return "write one number behind it";
    if (Problem problem = whole(words[1], kLeast, kMost, value); !problem.empty()) return problem;
    to.*kField = static_cast<std::remove_reference_t<decltype(to.*kField)>>(value);
    return {};
}
template <auto kField, class Into> Problem time(const Words& words, Into& to) {
    return words.size() == 2 ? cycles(words[1], to.*kField) : "write one number of cycles behind it";
}

// One of the named times of a latency such as `own 138 hop 84`, whose pairs may have any order.
struct NamedTime {
    std::string_view name;
    Time& value;
    bool needed = false;
};
Problem named_times(const Words& words, std::span<const NamedTime> parts, std::string_view example);

template <class Into> struct Key {
    std::string_view name;
    Problem (*read)(const Words&, Into&);
    bool needed = true;
    bool repeated = false;
};

// The text of a file, or a message.
bool read_file(const std::string& path, std::string_view documentation, std::string& text, std::string& error);

template <class Into> class KeyFile {
  public:
    explicit KeyFile(std::span<const Key<Into>> keys) : keys_(keys), lines_(keys.size()) {}

    // Reads the text. Calls `after(line)` for each line that was read, and `check()` at the end.
    // Returns an error, or an empty text. `file` is used only in messages.
    template <class After, class Check>
    std::string parse(std::string_view text, const std::string& file, Into& into, After&& after, Check&& check) {
        unsigned line = 0;
        const auto fail = [&](unsigned at, const Problem& problem) {
            return file + ":" + std::to_string(std::max(at, 1u)) + ": " + problem;
        };
        while (!text.empty()) {
            ++line;
            const auto end = std::min(text.find('\n'), text.size());
            const Words words = split(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            if (words.empty()) continue;
            if (const Problem problem = read_line(words, line, into); !problem.empty()) return fail(line, problem);
            after(line);
        }
        for (std::size_t i = 0; i < keys_.size(); ++i)
            if (keys_[i].needed && lines_[i] == 0)
                return fail(line, std::string(keys_[i].name) + " is missing; add a line with it");
        const Fault fault = check();
        return fault.problem.empty() ? std::string() : fail(fault.line, fault.problem);
    }

    // Returns the last line with this key, or 0 if there is none.
    unsigned line_of(std::string_view name) const { return lines_[index_of(name)]; }

  private:
    std::size_t index_of(std::string_view name) const {
        return static_cast<std::size_t>(
            std::find_if(keys_.begin(), keys_.end(), [&](const Key<Into>& key) { return key.name == name; }) -
            keys_.begin());
    }
    Problem read_line(const Words& words, unsigned line, Into& into) {
        const std::size_t i = index_of(words[0]);
        if (i == keys_.size()) return quoted(words[0]) + " is not known here; known are " + all_keys();
        const Key<Into>& key = keys_[i];
        if (lines_[i] != 0 && !key.repeated)
            return std::string(key.name) + " stands on line " + std::to_string(lines_[i]) + " already; remove one";
        lines_[i] = line;
        const Problem problem = key.read(words, into);
        return problem.empty() ? problem : std::string(key.name) + ": " + problem;
    }
    std::string all_keys() const {
        std::string list;
        for (const Key<Into>& key : keys_)
            list += (list.empty() ? "" : ", ") + std::string(key.name);
        return list;
    }

    std::span<const Key<Into>> keys_;
    std::vector<unsigned> lines_;
};

} // namespace teff::machine
