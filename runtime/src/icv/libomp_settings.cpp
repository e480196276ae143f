// SPDX-License-Identifier: Apache-2.0
#include "icv/libomp_settings.h"

#include <array>
#include <climits>
#include <utility>

#include "icv/parse.h"

namespace teff::icv::libomp {

namespace {

using parse::Word;

enum class Kind : std::uint8_t { none, disabled, compact, scatter, explicit_ };

constexpr std::array<Word<Kind>, 8> kKinds = {{{"none", Kind::none},
                                               {"disabled", Kind::disabled},
                                               {"compact", Kind::compact},
                                               {"logical", Kind::compact},
                                               {"physical", Kind::compact},
                                               {"scatter", Kind::scatter},
                                               {"balanced", Kind::scatter},
                                               {"explicit", Kind::explicit_}}};

// The places of OMP_PLACES that a granularity means.
constexpr std::string_view kThreads = "threads", kCores = "cores";
constexpr std::array<Word<std::string_view>, 12> kGranularities = {{{"fine", kThreads},
                                                                    {"thread", kThreads},
                                                                    {"core", kCores},
                                                                    {"tile", kCores},
                                                                    {"module", kCores},
                                                                    {"die", "sockets"},
                                                                    {"socket", "sockets"},
                                                                    {"package", "sockets"},
                                                                    {"llcache", "ll_caches"},
                                                                    {"ll_cache", "ll_caches"},
                                                                    {"numa", "numa_domains"},
                                                                    {"numa_domain", "numa_domains"}}};

constexpr std::array<Word<bool>, 8> kWithoutEffect = {{{"verbose", true},
                                                       {"noverbose", true},
                                                       {"warnings", true},
                                                       {"nowarnings", true},
                                                       {"respect", true},
                                                       {"norespect", true},
                                                       {"reset", true},
                                                       {"noreset", true}}};

// Removes the text up to the next comma outside brackets, and the comma.
std::string_view take_item(std::string_view& text) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < text.size() && (text[end] != ',' || depth != 0); ++end) {
        if (text[end] == '[' || text[end] == '{') ++depth;
        if (text[end] == ']' || text[end] == '}') --depth;
    }
    const std::string_view item(text.data(), end);
    text.remove_prefix(end < text.size() ? end + 1 : end);
    return parse::trim(item);
}

// What follows "name=", or nothing.
std::optional<std::string_view> value_of(std::string_view item, std::string_view name) {
    if (item.size() <= name.size() || item[name.size()] != '=') return std::nullopt;
    if (!parse::equals_ignoring_case({item.data(), name.size()}, name)) return std::nullopt;
    item.remove_prefix(name.size() + 1);
    return item;
}

struct Parts {
    std::optional<Kind> kind;
    std::string_view places = kCores; // libomp's default
    std::string_view processors;
    unsigned numbers = 0; // how many were read
    bool permutes = false;
};

bool take_processors(std::string_view list, Parts& parts) {
    if (list.size() < 3 || list.front() != '[' || list.back() != ']' || list.find('{') != std::string_view::npos)
        return false;
    parts.processors = {list.data() + 1, list.size() - 2};
    return true;
}

bool take_number(std::string_view item, Parts& parts) {
    const auto number = parse::integer(item, 0, INT_MAX);
    if (!number || !parts.kind || ++parts.numbers > 2) return false;
    if (parts.numbers == 1) parts.permutes = *number != 0;
    return true;
}

bool take(std::string_view item, Parts& parts) {
    if (const auto granularity = value_of(item, "granularity")) {
        const auto places = parse::word<std::string_view>(*granularity, kGranularities);
        if (places) parts.places = *places;
        return places.has_value();
    }
    if (const auto list = value_of(item, "proclist")) return take_processors(*list, parts);
    if (parse::word<bool>(item, kWithoutEffect)) return true;
    if (const auto kind = parse::word<Kind>(item, kKinds)) {
        const bool is_first = !parts.kind;
        parts.kind = kind;
        return is_first;
    }
    return take_number(item, parts);
}

} // namespace

std::optional<LibompAffinity> affinity(std::string_view text) {
    Parts parts;
    do {
        if (!take(take_item(text), parts)) return std::nullopt;
    } while (!text.empty());
    if (!parts.kind) return LibompAffinity{.has_type = false};
    if ((*parts.kind == Kind::explicit_) == parts.processors.empty()) return std::nullopt;
    switch (*parts.kind) {
    case Kind::none:
        return LibompAffinity{.bind = ProcBind::false_};
    case Kind::disabled:
        return LibompAffinity{.bind = ProcBind::false_, .is_disabled = true};
    case Kind::explicit_:
        return LibompAffinity{.bind = ProcBind::true_, .processors = parts.processors};
    case Kind::scatter:
        return LibompAffinity{.bind = ProcBind::spread, .places = parts.places};
    default: // a permutation puts neighbours on neighbouring cores, rather than on one core
        return LibompAffinity{.bind = ProcBind::close, .places = parts.permutes ? kCores : parts.places};
    }
}

std::optional<std::int64_t> blocktime_us(std::string_view text) {
    static constexpr std::array<Word<bool>, 2> kForever = {{{"infinite", true}, {"infinity", true}}};
    if (parse::word<bool>(text, kForever)) return INT64_MAX;
    text = parse::trim(text);
    std::int64_t factor = 1000;
    for (const auto& [unit, us] : {std::pair<std::string_view, std::int64_t>{"us", 1}, {"ms", 1000}}) {
        if (text.size() <= unit.size()) continue;
        const std::string_view end(text.data() + text.size() - unit.size(), unit.size());
        if (!parse::equals_ignoring_case(end, unit)) continue;
        text.remove_suffix(unit.size());
        factor = us;
        break;
    }
    const auto value = parse::integer(text, 0, INT_MAX);
    if (!value) return std::nullopt;
    return static_cast<std::int64_t>(*value) * factor;
}

std::optional<std::uint64_t> stacksize(std::string_view text, std::uint64_t low, std::uint64_t high) {
    if (const auto bytes = parse::integer(text, low, high)) return bytes;
    if (parse::integer(text, 0, UINT64_MAX)) return std::nullopt; // outside the range
    return parse::size_in_bytes(text, low, high);
}

} // namespace teff::icv::libomp
