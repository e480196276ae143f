// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/costs.h"

#include <array>
#include <cmath>

namespace teff::machine::scc {

namespace {

constexpr unsigned kMostTiles = 64;

// The shapes of latencies. Only tiles have an `own` latency for buffers; memory has none, and
// registers may be on any tile.
enum class Shape : std::uint8_t { tile, memory, service, memory_service };

template <auto kField, Shape kShape> Problem latency(const Words& words, Costs& to) {
    Latency& value = to.*kField;
    if constexpr (kShape == Shape::tile) {
        const std::array<NamedTime, 3> parts = {
            {{"own", value.own, true}, {"remote", value.remote, true}, {"hop", value.hop}}};
        return named_times(words, parts, "own 20 remote 56.6 hop 8.31");
    } else if constexpr (kShape == Shape::memory) {
        const std::array<NamedTime, 3> parts = {
            {{"remote", value.remote, true}, {"hop", value.hop}, {"dram", value.dram}}};
        return named_times(words, parts, "remote 65 hop 7.94 dram 46");
    } else if constexpr (kShape == Shape::service) {
        const std::array<NamedTime, 2> parts = {{{"own", value.own, true}, {"remote", value.remote, true}}};
        return named_times(words, parts, "own 20 remote 40");
    } else {
        const std::array<NamedTime, 1> parts = {{{"dram", value.dram, true}}};
        return named_times(words, parts, "dram 8");
    }
}

Problem mesh(const Words& words, Costs& to) {
    std::uint64_t columns = 0, rows = 0;
    if (words.size() != 3) return "write columns and rows: mesh 6 4";
    if (Problem problem = whole(words[1], 1, kMostTiles, columns); !problem.empty()) return problem;
    if (Problem problem = whole(words[2], 1, kMostTiles, rows); !problem.empty()) return problem;
    if (columns * rows > kMostTiles) return "has more than " + std::to_string(kMostTiles) + " tiles; model fewer";
    to.columns = static_cast<unsigned>(columns);
    to.rows = static_cast<unsigned>(rows);
    return {};
}

using C = Costs;
constexpr Key<C> kKeys[] = {
    {"name", [](const Words& words, Costs& to) { return plain_word(words, to.name); }},
    {"tile_mhz", number<&C::tile_mhz, 1, 10'000, C>},
    {"mesh_mhz", number<&C::mesh_mhz, 1, 10'000, C>},
    {"dram_mhz", number<&C::dram_mhz, 1, 10'000, C>},
    {"mesh", mesh},
    {"mpb_read_cycles", latency<&C::mpb_read, Shape::tile>},
    {"mpb_line_write_cycles", latency<&C::mpb_line_write, Shape::tile>},
    {"mpb_word_write_cycles", latency<&C::mpb_word_write, Shape::tile>},
    {"dram_read_cycles", latency<&C::dram_read, Shape::memory>},
    {"dram_line_write_cycles", latency<&C::dram_line_write, Shape::memory>},
    {"dram_word_write_cycles", latency<&C::dram_word_write, Shape::memory>},
    {"register_cycles", latency<&C::registers, Shape::tile>},
    {"mpb_service_cycles", latency<&C::mpb_service, Shape::service>},
    {"register_service_cycles", latency<&C::register_service, Shape::service>},
    {"dram_service_cycles", latency<&C::dram_service, Shape::memory_service>},
    {"flit_cycles", time<&C::flit, C>},
    {"hit_cycles", time<&C::hit, C>},
    {"invalidate_cycles", time<&C::invalidate, C>},
    {"poll_cycles", time<&C::poll, C>},
    {"loop_cycles", time<&C::loop, C>},
    {"timer_cycles", time<&C::timer, C>},
};

// If polling had no cost, a core would poll for ever at the same instant.
Fault check(const Costs& costs, const KeyFile<Costs>& keys) {
    if (costs.poll == 0) return {keys.line_of("poll_cycles"), "poll_cycles: a look takes time; write more than 0"};
    if (costs.hit == 0) return {keys.line_of("hit_cycles"), "hit_cycles: a look takes time; write more than 0"};
    return {};
}

void scale(Time& time, double factor) { time = static_cast<Time>(std::llround(static_cast<double>(time) * factor)); }

template <auto kField> Cost varied(std::string_view name) {
    return {name, [](Costs& costs, double factor) {
                if constexpr (std::is_same_v<decltype(costs.*kField), Latency&>) {
                    Latency& latency = costs.*kField;
                    for (Time* const part : {&latency.own, &latency.remote, &latency.hop, &latency.dram})
                        scale(*part, factor);
                } else {
                    scale(costs.*kField, factor);
                }
            }};
}

} // namespace

ParsedCosts parse_costs(std::string_view text, const std::string& file) {
    Costs found;
    KeyFile<Costs> keys(kKeys);
    std::string error = keys.parse(text, file, found, [](unsigned) {}, [&] { return check(found, keys); });
    if (!error.empty()) return {{}, std::move(error)};
    return {std::move(found), {}};
}

ParsedCosts read_costs(const std::string& path) {
    std::string text, error;
    if (!read_file(path, "docs/formats/machine.md", text, error)) return {{}, std::move(error)};
    return parse_costs(text, path);
}

std::vector<Cost> all_costs() {
    return {varied<&C::mpb_read>("mpb_read"),
            varied<&C::mpb_line_write>("mpb_line_write"),
            varied<&C::mpb_word_write>("mpb_word_write"),
            varied<&C::registers>("register"),
            varied<&C::mpb_service>("mpb_service"),
            varied<&C::register_service>("register_service"),
            varied<&C::flit>("flit"),
            varied<&C::hit>("hit"),
            varied<&C::invalidate>("invalidate"),
            varied<&C::poll>("poll"),
            varied<&C::loop>("loop"),
            varied<&C::timer>("timer")};
}

} // namespace teff::machine::scc
