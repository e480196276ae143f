// SPDX-License-Identifier: Apache-2.0
// Parses the text of an environment variable. The functions are pure: they print no warnings, apply
// no defaults and allocate no memory.
//
// Each parser returns nothing if the text is not exactly what is expected. Blanks around a value
// and around its separators are allowed, and the case of words does not matter, as the
// specification demands and libgomp does. Numbers are decimal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "icv/icv.h"

namespace teff::icv::parse {

// A keyword and its value. If a value has several spellings, the first one is printed.
template <class T> struct Word {
    std::string_view spelling;
    T value;
};

std::string_view trim(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

template <class T> std::optional<T> word(std::string_view text, std::span<const Word<T>> words) {
    const std::string_view trimmed = trim(text);
    for (const Word<T>& candidate : words)
        if (equals_ignoring_case(trimmed, candidate.spelling)) return candidate.value;
    return std::nullopt;
}

// A decimal integer from `low` to `high`, both included. A plus sign is allowed.
std::optional<std::uint64_t> integer(std::string_view text, std::uint64_t low, std::uint64_t high);

// As `integer`, but accepts only powers of two: 1, 2, 4, 8, ...
std::optional<std::uint64_t> power_of_two(std::string_view text, std::uint64_t low, std::uint64_t high);

// A size with one of the suffixes B, K, M, G; a number without a suffix is in kibibytes. Returns
// the size in bytes.
std::optional<std::uint64_t> size_in_bytes(std::string_view text, std::uint64_t low, std::uint64_t high);

// A number of spins: an integer with one of the suffixes k, m, g, t (powers of 1000), or
// "infinite". At most INT64_MAX.
std::optional<std::int64_t> spin_count(std::string_view text);

// [monotonic|nonmonotonic:]kind[,chunk]
std::optional<RunSchedule> schedule(std::string_view text);

// Integers from 1 to INT32_MAX, separated by commas.
std::optional<LevelList<std::uint32_t>> num_threads(std::string_view text);

// Either TRUE or FALSE alone, or a list of PRIMARY (also MASTER), CLOSE and SPREAD, separated by
// commas.
std::optional<LevelList<ProcBind>> proc_bind(std::string_view text);

// off, on or kernel; or timer, perf or stress with a period in microseconds, such as timer:20us.
std::optional<Preemption> preemption(std::string_view text);

// The name of one of the signals that a program may leave to the runtime, with or without SIG, or
// RTMIN+n, also with or without SIG. Returns the signal's number.
std::optional<int> signal_number(std::string_view text);
// Returns the signal's name without SIG; empty for a real-time signal.
std::string_view signal_name(int number);

// A file's identity: device:inode, both decimal. Returns the text itself, trimmed.
std::optional<std::string_view> file_identity(std::string_view text);

// Text that is not empty and consists of printable ASCII characters. Returns the text trimmed.
std::optional<std::string_view> plain_text(std::string_view text);

} // namespace teff::icv::parse
