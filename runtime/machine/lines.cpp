// SPDX-License-Identifier: Apache-2.0
#include "machine/lines.h"

namespace teff::machine {

Time Lines::touch(unsigned core, const void* word, Touch kind, Time now) {
    Line& line = line_of(word);
    return kind == Touch::load ? load(core, line, now) : change(core, line, kind == Touch::update, now);
}

Lines::Line* Lines::lines_of(std::uintptr_t page) {
    std::unique_ptr<Line[]>& lines = pages_[page];
    if (lines == nullptr) lines = std::make_unique<Line[]>(kLinesOfPage);
    return lines.get();
}

Time Lines::load(unsigned core, Line& line, Time now) {
    if (line.copies[core]) return now + description_.cached;
    const Time end = line.owner == kNobody ? now + description_.cached : move(core, line, description_.load, now);
    line.copies.set(core);
    ++line.copies_count;
    return end;
}

Time Lines::change(unsigned core, Line& line, bool waits, Time now) {
    const bool alone = line.copies_count == 0 || (line.copies_count == 1 && line.copies[core]);
    const Time hit = now + (waits ? description_.cached_atomic : description_.cached);
    Time end = hit;
    if (!alone || (line.owner != core && line.owner != kNobody)) end = move(core, line, description_.atomic, now);
    line.owner = core;
    line.copies.reset();
    line.copies.set(core);
    line.copies_count = 1;
    return waits ? end : hit;
}

// If no core has changed the line, it comes from the core's own node.
Time Lines::move(unsigned core, Line& line, const Latency& latency, Time now) {
    ++transfers_;
    const unsigned to = core / description_.cores_per_node;
    const unsigned from = line.owner == kNobody ? to : line.owner / description_.cores_per_node;
    const Time begin = now > line.free ? now : line.free;
    return line.free = begin + topology_.latency(latency, from, to);
}

} // namespace teff::machine
