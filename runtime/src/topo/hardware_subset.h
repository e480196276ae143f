// SPDX-License-Identifier: Apache-2.0
//
// The part of the machine that KMP_HW_SUBSET asks for: a number of sockets, of cores in each of
// them, of threads in each core, and so on. The functions are pure, except that `keep_subset` reads
// the kernel's files (places.h).
//
//   subset   units, separated by commas or x; a colon before the first of them: see below
//   units    count layer, as in 2c; or count layer @ skipped, as in 2c@1
//   count    a number; * or nothing: all
//   layer    socket, die, numa_domain, ll_cache, core or thread, or the beginning of such a word
//
// Blanks and the case of letters do not matter. The order does not either: the units of a layer are
// counted in each unit of the layer above it. Cores are always counted in a die, dies in a socket,
// and threads in a core, unless the text begins with a colon. Then only the layers that the text
// names exist, and the first of them is counted in the whole machine. This is what LLVM's
// documentation says of libomp.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "topo/places.h"
#include "topo/text_cursor.h"

namespace teff::topo {

struct Units {
    static constexpr unsigned kAll = ~0u;

    unsigned count = kAll;
    unsigned skipped = 0;
};

struct Layer {
    Level level;
    std::string_view name;
    bool always; // counts without being named
};
// From the outermost to the innermost.
inline constexpr std::array<Layer, 6> kLayers = {{{Level::sockets, "sockets", true},
                                                  {Level::numa_domains, "numa_domains", false},
                                                  {Level::dies, "dies", true},
                                                  {Level::ll_caches, "ll_caches", false},
                                                  {Level::cores, "cores", true},
                                                  {Level::threads, "threads", true}}};

struct HardwareSubset {
    bool only_named = false;
    std::array<std::optional<Units>, kLayers.size()> units = {};
};

TextProblem read_hardware_subset(std::string_view text, HardwareSubset& subset);

// Why there is no such subset.
struct Shortage {
    std::string_view layer;
    unsigned needed;
    unsigned present;
};

// Removes from `processors` those that are not in the subset. If there are fewer units than the
// subset asks for, `processors` stays, and the result says why. The set may become empty if the
// text begins with a colon, or if it skips all units of a layer. `root`: as for append_level.
std::optional<Shortage> keep_subset(const HardwareSubset& subset, const char* root, ProcessorSet& processors);

} // namespace teff::topo
