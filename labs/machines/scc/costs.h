// SPDX-License-Identifier: Apache-2.0
//
// Costs of the modelled SCC, as the chip's file gives them (docs/formats/machine.md).
//
// A plain value. Costs that the file gives in cycles of the mesh or the memory are kept in these
// units. A Clock converts them to the model's time, in thousandths of a cycle of the tiles, by the
// clock rates that are set.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/key_file.h"

namespace teff::machine::scc {

// The latency of an access: `own` on the core's tile, `remote` on others, and additional parts for
// its path.
struct Latency {
    Time own = 0, remote = 0; // cycles of the tile
    Time hop = 0;             // of the mesh
    Time dram = 0;            // of the memory
};

struct Costs {
    std::string name;
    unsigned tile_mhz = 0, mesh_mhz = 0, dram_mhz = 0;
    unsigned columns = 0, rows = 0;

    Latency mpb_read, mpb_line_write, mpb_word_write;
    Latency dram_read, dram_line_write, dram_word_write;
    Latency registers; // LUT entries and test-and-set registers

    Latency mpb_service, register_service, dram_service; // no hops
    Time flit = 0;                                       // of the mesh, for 16 bytes

    Time hit = 0, invalidate = 0, poll = 0, loop = 0, timer = 0;

    static constexpr unsigned kCoresPerTile = 2;
    unsigned tiles() const { return columns * rows; }
    unsigned cores() const { return tiles() * kCoresPerTile; }

    // Conversions to cycles of the tiles.
    Time of_mesh(Time cycles) const { return cycles * tile_mhz / mesh_mhz; }
    Time of_dram(Time cycles) const { return cycles * tile_mhz / dram_mhz; }
    Time latency(const Latency& of, bool own, unsigned hops) const {
        return (own ? of.own : of.remote + of_mesh(of.hop * hops)) + of_dram(of.dram);
    }
    double microseconds(double time) const { return time / kCycle / tile_mhz; }
};

struct ParsedCosts {
    std::optional<Costs> costs;
    std::string error; // FILE:LINE: what is wrong, and what to do
};

// `file` is used only in messages.
ParsedCosts parse_costs(std::string_view text, const std::string& file);
ParsedCosts read_costs(const std::string& path);

// A cost that may be varied.
struct Cost {
    std::string_view name;
    std::function<void(Costs&, double factor)> scale;
};
std::vector<Cost> all_costs();

} // namespace teff::machine::scc
