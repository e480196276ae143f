// SPDX-License-Identifier: Apache-2.0
#include "machine/lines.h"

#include "base/cache_line.h"

namespace teff::machine {

Time Lines::touch(unsigned core, const void* word, Touch kind, Time now) {
    Line& line = lines_[reinterpret_cast<std::uintptr_t>(word) / base::kCacheLine];
    return kind == Touch::load ? load(core, line, now) : change(core, line, kind == Touch::update, now);
}

Time Lines::load(unsigned core, Line& line, Time now) {
    if (line.owner == kNobody || line.copies[core]) {
        line.copies.set(core);
        return now + description_.cached;
    }
    const Time end = move(core, line, description_.load, now);
    line.copies.set(core);
    return end;
}

Time Lines::change(unsigned core, Line& line, bool waits, Time now) {
    const bool alone = line.copies.none() || (line.copies[core] && line.copies.count() == 1);
    const Time hit = now + (waits ? description_.cached_atomic : description_.cached);
    Time end = hit;
    if (!alone || (line.owner != core && line.owner != kNobody)) end = move(core, line, description_.atomic, now);
    line.owner = core;
    line.copies.reset();
    line.copies.set(core);
    return waits ? end : hit;
}

// Where nobody has changed it, it comes from next to the core.
Time Lines::move(unsigned core, Line& line, const Latency& latency, Time now) {
    ++transfers_;
    const unsigned to = core / description_.cores_per_node;
    const unsigned from = line.owner == kNobody ? to : line.owner / description_.cores_per_node;
    const Time begin = now > line.free ? now : line.free;
    return line.free = begin + topology_.latency(latency, from, to);
}

} // namespace teff::machine
