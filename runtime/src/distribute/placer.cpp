// SPDX-License-Identifier: Apache-2.0
#include "distribute/placer.h"

#include <cerrno>

#include "distribute/words.h"
#include "mem/distribution/coarse.h"
#include "mem/distribution/fine.h"

namespace teff::distribute {

Outcome Placer::place(mem::Range range) {
    const mem::Nodes nodes = nodes_();
    if (!is_enough(nodes) || !has_room()) return Outcome::left_alone;
    const long error = ask(nodes, range);
    if (error == 0) return Outcome::placed;
    const bool refuses = error == -EPERM || error == -ENOSYS || error == -EACCES;
    if (!said_.exchange(true, std::memory_order_relaxed)) say(refuses ? words::kRefused : words::kNotPlaced);
    return refuses ? Outcome::never : Outcome::left_alone;
}

bool Placer::has_room() {
    if (room_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
    if (pause_.fetch_sub(1, std::memory_order_relaxed) > 0) return false;
    const Mappings mappings = mappings_();
    const long ranges = (mappings.most / 2 - mappings.now) / kMappingsPerRange;
    const bool enough = ranges >= kFewRanges;
    room_.store(enough ? ranges - 1 : 0, std::memory_order_relaxed);
    pause_.store(enough ? 0 : kPause, std::memory_order_relaxed);
    return enough;
}

long Placer::ask(const mem::Nodes& nodes, mem::Range range) {
    if (settings_.spread == Spread::fine) return mem::detail::interleave(system_(), nodes, range);
    const mem::Choice choice = {.turn = turns_.fetch_add(1, std::memory_order_relaxed)};
    return mem::detail::place_coarse(system_(), nodes, range, choice).error;
}

} // namespace teff::distribute
