// SPDX-License-Identifier: Apache-2.0
#include "machines/scc/chip.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace teff::machine::scc {

namespace {

// The numbers of flits of 16 bytes: a head, followed by the data.
constexpr unsigned kHead = 1, kWord = 2, kLine = 3;

Description shape_of(const Costs& costs) {
    Description shape;
    shape.name = costs.name;
    shape.clock_mhz = costs.tile_mhz;
    shape.nodes = costs.tiles();
    shape.cores_per_node = Costs::kCoresPerTile;
    shape.mesh_columns = costs.columns;
    shape.mesh_rows = costs.rows;
    return shape;
}

// The controllers are at the west and east ends of the lowest row of each half: at the tiles (0,
// 0), (0, 2), (5, 0) and (5, 2). A core's part of memory belongs to the controller of its quarter.
unsigned controller_of(const Costs& costs, unsigned core) {
    const unsigned tile = core / Costs::kCoresPerTile;
    const bool east = tile % costs.columns >= (costs.columns + 1) / 2;
    const bool upper = tile / costs.columns >= (costs.rows + 1) / 2;
    return (upper ? 2u : 0u) + (east ? 1u : 0u);
}
unsigned tile_of_controller(const Costs& costs, unsigned controller) {
    return (controller / 2 != 0 ? costs.rows / 2 * costs.columns : 0) + (controller % 2 != 0 ? costs.columns - 1 : 0);
}

} // namespace

Chip::Chip(const Costs& costs)
    : costs_(costs), description_(shape_of(costs_)), topology_(description_), simulation_(description_, topology_),
      cores_(costs.cores()), truth_(std::size_t{costs.cores()} * (kMpbWords + kLutEntries + kMemoryWords)),
      taken_(costs.cores()), buffers_busy_(costs.tiles()), registers_busy_(costs.tiles()),
      links_busy_(topology_.links().size()) {}

// ---- Where words are.

bool Chip::place(const void* begin, std::size_t bytes, Place where) {
    const unsigned cores = costs_.cores();
    const unsigned sizes[] = {kMpbWords - kWords, kLutEntries, kMemoryWords}; // a line of each MPB is the dummy
    const unsigned strides[] = {kMpbWords, kLutEntries, kMemoryWords};
    const unsigned bases[] = {0, cores * kMpbWords, cores * (kMpbWords + kLutEntries)};
    const auto store = static_cast<unsigned>(where.store);
    unsigned& used = cores_[where.core].used[store];
    const auto words = static_cast<unsigned>((bytes + kLineBytes - 1) / kLineBytes * kWords);
    if (words > sizes[store] - used) return false;
    if (where.store == Store::lut) where.cached = false;
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    const Mapped mapped{at, at + bytes, bases[store] + where.core * strides[store] + used, where};
    mapped_.insert(std::upper_bound(mapped_.begin(), mapped_.end(), mapped,
                                    [](const Mapped& a, const Mapped& b) { return a.begin < b.begin; }),
                   mapped);
    used += words;
    return true;
}

const Chip::Mapped& Chip::find(const void* word) const {
    const auto at = reinterpret_cast<std::uintptr_t>(word);
    const auto behind = std::upper_bound(mapped_.begin(), mapped_.end(), at,
                                         [](std::uintptr_t a, const Mapped& m) { return a < m.begin; });
    if (behind == mapped_.begin() || at >= std::prev(behind)->end) {
        std::fprintf(stderr, "scc: a shared word was not placed on the chip; call place() before the run\n");
        std::abort();
    }
    return *std::prev(behind);
}

std::uint32_t Chip::address_of(const Mapped& mapped, const void* word) const {
    return mapped.address + static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(word) - mapped.begin) / 4);
}

// The place of a line that may be in a buffer.
Place Chip::place_of_line(std::uint32_t line) const {
    const std::uint32_t address = line * kWords, behind_mpb = costs_.cores() * kMpbWords;
    if (address < behind_mpb) return {Store::mpb, address / kMpbWords, true};
    return {Store::memory, (address - behind_mpb - costs_.cores() * kLutEntries) / kMemoryWords, true};
}

unsigned Chip::hops_to_memory(unsigned core, unsigned of_core) const {
    return topology_.hops(core / Costs::kCoresPerTile, tile_of_controller(costs_, controller_of(costs_, of_core)));
}

Chip::Spot Chip::spot_of(const Place& where, Kind kind) {
    const auto pick = [&](const Latency& read, const Latency& line, const Latency& word) {
        return kind == Kind::read ? read : kind == Kind::line_write ? line : word;
    };
    if (where.store == Store::lut) return spot_of_register(where.core);
    if (where.store == Store::memory) {
        const unsigned controller = controller_of(costs_, where.core);
        return {tile_of_controller(costs_, controller), false,
                pick(costs_.dram_read, costs_.dram_line_write, costs_.dram_word_write), costs_.dram_service,
                &controllers_busy_[controller]};
    }
    const unsigned tile = where.core / Costs::kCoresPerTile;
    return {tile, tile == simulation_.node(), pick(costs_.mpb_read, costs_.mpb_line_write, costs_.mpb_word_write),
            costs_.mpb_service, &buffers_busy_[tile]};
}

Chip::Spot Chip::spot_of_register(unsigned of_core) {
    const unsigned tile = of_core / Costs::kCoresPerTile;
    return {tile, tile == simulation_.node(), costs_.registers, costs_.register_service, &registers_busy_[tile]};
}

// ---- The path to a word and back.

// Occupies all links of the path at once, and waits for links that are busy.
void Chip::cross(unsigned from, unsigned to, unsigned flits, Time& at) {
    Time begin = at;
    for (const unsigned link : topology_.way(from, to)) {
        begin = std::max(begin, links_busy_[link]);
        links_busy_[link] = std::max(at, links_busy_[link]) + costs_.of_mesh(costs_.flit) * flits;
        flits_ += flits;
        if (watcher_ != nullptr) watcher_->carry(link, at, flits);
    }
    at = begin;
}

// Returns in the turn in which the access arrives at its place, so that accesses take effect in
// order. The result is the time at which the access ends.
Time Chip::reach(const Spot& spot, unsigned flits_there, unsigned flits_back) {
    const unsigned from = simulation_.node();
    const Time latency = costs_.latency(spot.latency, spot.own, topology_.hops(from, spot.tile));
    simulation_.pass(latency / 2);
    simulation_.await_turn();
    Time begin = simulation_.now();
    cross(from, spot.tile, flits_there, begin);
    begin = std::max(begin, *spot.busy);
    *spot.busy = begin + costs_.latency(spot.service, spot.own, 0);
    Time back = begin;
    cross(spot.tile, from, flits_back, back);
    ++accesses_;
    return back + latency - latency / 2;
}

void Chip::read_at(const Spot& spot, unsigned flits_back) {
    await_write();
    simulation_.go_to(reach(spot, kHead, flits_back));
}

// The core advances to the time at which its write takes effect, and then returns to its own time.
// Before the write has taken effect, it does nothing that others can see.
void Chip::write_at(const Spot& spot, unsigned flits_there, const std::function<void()>& take_effect) {
    await_write();
    const Time issued = now();
    const Time done = reach(spot, flits_there, kHead);
    take_effect();
    cores_[core()].write_done = done;
    simulation_.go_to(issued + costs_.hit);
}

void Chip::await_write() { simulation_.go_to(std::max(now(), cores_[core()].write_done)); }

// ---- What a core does.

bool Chip::run(const std::vector<std::function<void()>>& parts, Time limit) {
    active_ = this;
    limit_ = limit;
    const bool complete = simulation_.run(parts);
    active_ = nullptr;
    return complete;
}

Chip::Line* Chip::find_copy(std::uint32_t line) {
    Core& self = cores_[core()];
    for (Line& way : self.cache[line % kSets])
        if (way.number == line && way.epoch == self.epoch) return &way;
    return nullptr;
}

std::uint32_t Chip::read(const void* word, bool fresh) {
    const Mapped& mapped = find(word);
    const std::uint32_t address = address_of(mapped, word), line = address / kWords;
    if (!mapped.where.cached) {
        read_at(spot_of(mapped.where, Kind::read), kWord);
        return truth_[address];
    }
    if (fresh) invalidate();
    pass(costs_.hit);
    if (const Line* const copy = find_copy(line)) return copy->words[address % kWords];
    Core& self = cores_[core()];
    if (self.buffer.number == line) empty_buffer();
    read_at(spot_of(mapped.where, Kind::read), kLine);
    std::uint8_t& way = self.next_way[line % kSets];
    Line& copy = self.cache[line % kSets][way];
    way = static_cast<std::uint8_t>((way + 1) % kWays);
    copy.number = line;
    copy.epoch = self.epoch;
    std::copy_n(truth_.begin() + line * kWords, kWords, copy.words.begin());
    return copy.words[address % kWords];
}

void Chip::write(const void* word, std::uint32_t value) {
    const Mapped& mapped = find(word);
    const std::uint32_t address = address_of(mapped, word);
    if (mapped.where.cached) return write_to_buffer(address, value);
    if (mapped.where.store == Store::lut && value >= 1u << kLutBits) {
        std::fprintf(stderr, "scc: a LUT entry has %u bits, too few for %u\n", kLutBits, value);
        std::abort();
    }
    write_at(spot_of(mapped.where, Kind::word_write), kWord, [&] { truth_[address] = value; });
}

void Chip::write_to_buffer(std::uint32_t address, std::uint32_t value) {
    const std::uint32_t line = address / kWords;
    Line& buffer = cores_[core()].buffer;
    if (buffer.number != line) {
        empty_buffer();
        buffer.number = line;
    }
    pass(costs_.hit);
    buffer.words[address % kWords] = value;
    buffer.written |= 1u << address % kWords;
    if (Line* const copy = find_copy(line)) copy->words[address % kWords] = value;
}

void Chip::empty_buffer() {
    Line& buffer = cores_[core()].buffer;
    if (buffer.number == kNoLine) return;
    write_at(spot_of(place_of_line(buffer.number), Kind::line_write), kLine, [&] {
        for (unsigned i = 0; i < kWords; ++i)
            if ((buffer.written >> i & 1) != 0) truth_[buffer.number * kWords + i] = buffer.words[i];
    });
    buffer.number = kNoLine;
    buffer.written = 0;
}

void Chip::push_out() {
    const std::uint32_t held = cores_[core()].buffer.number, dummy = dummy_line(core());
    if (held != kNoLine && held != dummy) write_to_buffer(dummy * kWords, 0);
}

void Chip::invalidate() {
    pass(costs_.invalidate);
    ++cores_[core()].epoch;
}

bool Chip::take(unsigned of_core) {
    read_at(spot_of_register(of_core), kWord);
    const bool was_free = !taken_[of_core];
    taken_[of_core] = true;
    return was_free;
}

void Chip::give_back(unsigned of_core) {
    write_at(spot_of_register(of_core), kWord, [&] { taken_[of_core] = false; });
}

void Chip::relax() {
    pass(costs_.poll);
    if (now() > limit_) simulation_.sleep(this);
}

} // namespace teff::machine::scc
