// SPDX-License-Identifier: Apache-2.0
#include "distribute/placer.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

#include "base/system_call.h"
#include "distribute/words.h"
#include "mem/distribution/coarse.h"
#include "mem/distribution/fine.h"

namespace teff::distribute {

namespace {

// Gives the bytes of a file to `visit`, in pieces. False: it cannot be read.
template <class Visit> bool read_pieces(const char* path, Visit&& visit) {
    using base::call;
    const long file = call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char piece[2048]; // the stack may be a small one
    long got;
    while ((got = call(SYS_read, file, piece, sizeof piece)) > 0)
        visit(piece, piece + got);
    (void)call(SYS_close, file);
    return got == 0;
}

} // namespace

long most_mappings() {
    long most = 0;
    const auto read_number = [&](const char* begin, const char* end) {
        for (; begin != end && *begin >= '0' && *begin <= '9'; ++begin)
            most = most * 10 + (*begin - '0');
    };
    return read_pieces("/proc/sys/vm/max_map_count", read_number) ? most : 0;
}

Mappings mappings_of_process() {
    Mappings mappings{0, most_mappings()};
    const auto count_lines = [&](const char* begin, const char* end) { mappings.now += std::count(begin, end, '\n'); };
    return read_pieces("/proc/self/maps", count_lines) ? mappings : Mappings{};
}

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
