// SPDX-License-Identifier: Apache-2.0
#include "icv/parse.h"

#include <array>
#include <bit>
#include <climits>
#include <csignal>
#include <cstddef>

namespace teff::icv::parse {

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The text up to the first separator, trimmed; `rest` becomes what follows it. `more` tells "4,"
// from "4".
struct Split {
    std::string_view first;
    std::string_view rest;
    bool more;
};

Split split(std::string_view text, char separator) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) return {trim(text), {}, false};
    // Not substr: its range check would need libstdc++ at run time.
    return {trim({text.data(), at}), {text.data() + at + 1, text.size() - at - 1}, true};
}

// Reads the digits at the front of `text` and removes them. Nothing if there are none or they
// overflow.
std::optional<std::uint64_t> take_digits(std::string_view& text) {
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    std::uint64_t value = 0;
    while (!text.empty() && is_digit(text.front())) {
        const auto digit = static_cast<std::uint64_t>(text.front() - '0');
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, digit, &value))
            return std::nullopt;
        text.remove_prefix(1);
    }
    return value;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
    text = trim(text);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto value = take_digits(text);
    text = trim(text);
    return value;
}

std::optional<std::uint64_t> within(std::optional<std::uint64_t> value, std::uint64_t low, std::uint64_t high) {
    if (!value || *value < low || *value > high) return std::nullopt;
    return value;
}

struct Suffix {
    char letter; // lower case; 0 stands for no suffix
    std::uint64_t factor;
};

std::optional<std::uint64_t> factor_of(std::string_view suffix, std::span<const Suffix> known) {
    if (suffix.size() > 1) return std::nullopt;
    const char letter = suffix.empty() ? '\0' : lower(suffix.front());
    for (const Suffix& candidate : known)
        if (candidate.letter == letter && suffix.empty() == (candidate.letter == '\0')) return candidate.factor;
    return std::nullopt;
}

template <class T, class ParseItem> std::optional<LevelList<T>> list(std::string_view text, ParseItem parse_item) {
    LevelList<T> values;
    Split part{{}, text, true};
    while (part.more) {
        part = split(part.rest, ',');
        const std::optional<T> item = parse_item(part.first);
        if (!item || !values.append(*item)) return std::nullopt;
    }
    return values;
}

constexpr std::array<Word<bool>, 2> kModifiers = {{{"monotonic", true}, {"nonmonotonic", false}}};
constexpr std::array<Word<ScheduleKind>, 4> kScheduleKinds = {{
    {"static", ScheduleKind::static_},
    {"dynamic", ScheduleKind::dynamic},
    {"guided", ScheduleKind::guided},
    {"auto", ScheduleKind::auto_},
}};
constexpr std::array<Word<ProcBind>, 2> kBindOrNot = {{{"true", ProcBind::true_}, {"false", ProcBind::false_}}};
constexpr std::array<Word<ProcBind>, 4> kBindPolicies = {{
    {"primary", ProcBind::primary},
    {"master", ProcBind::primary},
    {"close", ProcBind::close},
    {"spread", ProcBind::spread},
}};

// A chunk size of 0 means "not given" to libgomp; it becomes the kind's default.
std::int32_t default_chunk(ScheduleKind kind) { return kind == ScheduleKind::static_ ? 0 : 1; }

} // namespace

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

std::optional<std::uint64_t> integer(std::string_view text, std::uint64_t low, std::uint64_t high) {
    const auto value = take_number(text);
    return text.empty() ? within(value, low, high) : std::nullopt;
}

std::optional<std::uint64_t> power_of_two(std::string_view text, std::uint64_t low, std::uint64_t high) {
    const auto value = integer(text, low, high);
    return value && std::has_single_bit(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> size_in_bytes(std::string_view text, std::uint64_t low, std::uint64_t high) {
    static constexpr std::array<Suffix, 5> kSuffixes = {
        {{'\0', 1u << 10}, {'b', 1}, {'k', 1u << 10}, {'m', 1u << 20}, {'g', 1u << 30}}};
    const auto value = take_number(text);
    const auto factor = factor_of(text, kSuffixes);
    std::uint64_t bytes = 0;
    if (!value || !factor || __builtin_mul_overflow(*value, *factor, &bytes)) return std::nullopt;
    return within(bytes, low, high);
}

std::optional<std::int64_t> spin_count(std::string_view text) {
    static constexpr std::array<Word<bool>, 2> kForever = {{{"infinite", true}, {"infinity", true}}};
    static constexpr std::array<Suffix, 5> kSuffixes = {
        {{'\0', 1}, {'k', 1'000}, {'m', 1'000'000}, {'g', 1'000'000'000}, {'t', 1'000'000'000'000}}};
    if (word<bool>(text, kForever)) return INT64_MAX;
    const auto value = take_number(text);
    const auto factor = factor_of(text, kSuffixes);
    if (!value || !factor) return std::nullopt;
    std::int64_t count = 0;
    return __builtin_mul_overflow(*value, *factor, &count) ? INT64_MAX : count;
}

std::optional<RunSchedule> schedule(std::string_view text) {
    std::optional<bool> monotonic;
    if (const Split modifier = split(text, ':'); modifier.more) {
        monotonic = word<bool>(modifier.first, kModifiers);
        if (!monotonic) return std::nullopt;
        text = modifier.rest;
    }
    const Split parts = split(text, ',');
    const auto kind = word<ScheduleKind>(parts.first, kScheduleKinds);
    if (!kind) return std::nullopt;

    RunSchedule result{*kind, monotonic ? *monotonic : *kind == ScheduleKind::static_, default_chunk(*kind)};
    result.has_modifier = monotonic.has_value();
    if (parts.more) {
        const auto chunk = integer(parts.rest, 0, INT32_MAX);
        if (!chunk) return std::nullopt;
        if (*chunk != 0) result.chunk = static_cast<std::int32_t>(*chunk);
    }
    return result;
}

std::optional<LevelList<std::uint32_t>> num_threads(std::string_view text) {
    return list<std::uint32_t>(text, [](std::string_view item) -> std::optional<std::uint32_t> {
        const auto value = integer(item, 1, INT32_MAX);
        if (!value) return std::nullopt;
        return static_cast<std::uint32_t>(*value);
    });
}

std::optional<LevelList<ProcBind>> proc_bind(std::string_view text) {
    if (const auto alone = word<ProcBind>(text, kBindOrNot)) {
        LevelList<ProcBind> values;
        values.append(*alone);
        return values;
    }
    return list<ProcBind>(text, [](std::string_view item) { return word<ProcBind>(item, kBindPolicies); });
}

namespace {

// 20us, of the period that a periodic source has.
std::optional<Preemption> periodic(std::string_view source, std::string_view period) {
    static constexpr Word<PreemptionSource> kSources[] = {
        {"timer", PreemptionSource::timer},
        {"perf", PreemptionSource::perf},
        {"stress", PreemptionSource::stress},
    };
    const auto which = word<PreemptionSource>(source, kSources);
    const auto number = within(take_number(period), kLeastPreemptionPeriod_us, kMostPreemptionPeriod_us);
    if (!which || !number || !equals_ignoring_case(period, "us")) return std::nullopt;
    return Preemption{*which, static_cast<std::uint32_t>(*number)};
}

constexpr Word<int> kSignals[] = {
    {"URG", SIGURG},     {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"IO", SIGIO},
    {"WINCH", SIGWINCH}, {"PROF", SIGPROF}, {"PWR", SIGPWR},   {"VTALRM", SIGVTALRM},
};

} // namespace

std::optional<Preemption> preemption(std::string_view text) {
    static constexpr Word<PreemptionSource> kWords[] = {
        {"off", PreemptionSource::off},
        {"on", PreemptionSource::demand},
        {"kernel", PreemptionSource::kernel},
    };
    const Split parts = split(text, ':');
    if (parts.more) return periodic(parts.first, parts.rest);
    const auto source = word<PreemptionSource>(text, kWords);
    if (!source) return std::nullopt;
    return Preemption{*source, 0};
}

std::optional<int> signal_number(std::string_view text) {
    constexpr std::string_view kPrefix = "SIG", kRealTime = "RTMIN+";
    text = trim(text);
    if (text.size() > kPrefix.size() && equals_ignoring_case({text.data(), kPrefix.size()}, kPrefix))
        text.remove_prefix(kPrefix.size());
    if (const auto named = word<int>(text, kSignals)) return named;
    if (text.size() <= kRealTime.size() || !equals_ignoring_case({text.data(), kRealTime.size()}, kRealTime))
        return std::nullopt;
    text.remove_prefix(kRealTime.size());
    const auto number = integer(text, 0, static_cast<std::uint64_t>(SIGRTMAX - SIGRTMIN));
    if (!number) return std::nullopt;
    return SIGRTMIN + static_cast<int>(*number);
}

std::string_view signal_name(int number) {
    for (const Word<int>& candidate : kSignals)
        if (candidate.value == number) return candidate.spelling;
    return {};
}

std::optional<std::string_view> file_identity(std::string_view text) {
    const std::string_view trimmed = trim(text);
    const auto is_number = [](std::string_view digits) {
        return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos &&
               integer(digits, 0, UINT64_MAX).has_value();
    };
    const Split parts = split(trimmed, ':');
    if (!parts.more || !is_number(parts.first) || !is_number(parts.rest)) return std::nullopt;
    return trimmed;
}

std::optional<std::string_view> plain_text(std::string_view text) {
    const std::string_view trimmed = trim(text);
    for (const char c : trimmed)
        if (c < ' ' || c > '~') return std::nullopt;
    if (trimmed.empty()) return std::nullopt;
    return trimmed;
}

} // namespace teff::icv::parse
