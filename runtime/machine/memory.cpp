// SPDX-License-Identifier: Apache-2.0
#include "machine/memory.h"

#include <algorithm>

namespace teff::machine {

Memory::Memory(const Description& description, const Topology& topology)
    : description_(description), topology_(topology), controllers_(description.nodes), links_(topology.links().size()),
      caches_(description.nodes) {}

Time Memory::fetch(unsigned node, const Chunk& chunk, Access access, Time now) {
    Time end = 0;
    if (find_copy(node, chunk)) {
        ++hits_;
        const Time lines = (chunk.bytes + description_.line_bytes - 1) / description_.line_bytes;
        end = now + lines * description_.cache_per_line / description_.outstanding;
    } else {
        ++misses_;
        end = transfer(node, chunk, now);
        keep_copy(node, chunk);
    }
    if (access == Access::write) {
        write_back(node, chunk, now);
        note_write(node, chunk);
    }
    return end;
}

Time Memory::transfer(unsigned node, const Chunk& chunk, Time now) {
    Time let_in = now, served = now, latency = 0;
    for (const Part& part : chunk.parts) {
        const auto pass = [&](Server& server, Time per_line) {
            let_in = std::max(let_in, server.serve(now, part.lines * per_line));
            served = std::max(served, server.free);
        };
        pass(controllers_[part.node], description_.controller_per_line);
        for (const unsigned link : topology_.way(part.node, node))
            pass(links_[link], topology_.links()[link].per_line);
        latency += part.lines * topology_.latency(description_.memory, node, part.node);
    }
    return std::max(let_in + latency / description_.outstanding, served);
}

void Memory::write_back(unsigned node, const Chunk& chunk, Time now) {
    for (const Part& part : chunk.parts) {
        for (const unsigned link : topology_.way(node, part.node))
            links_[link].serve(now, part.lines * topology_.links()[link].per_line);
        controllers_[part.node].serve(now, part.lines * description_.controller_per_line);
    }
}

bool Memory::find_copy(unsigned node, const Chunk& chunk) {
    Cache& cache = caches_[node];
    const auto copy = cache.copies.find(chunk.id);
    if (copy == cache.copies.end()) return false;
    const auto version = versions_.find(chunk.id);
    if (version != versions_.end() && version->second != copy->second.version) return false;
    cache.order.splice(cache.order.begin(), cache.order, copy->second.place);
    return true;
}

void Memory::keep_copy(unsigned node, const Chunk& chunk) {
    if (chunk.bytes > description_.cache_bytes) return;
    Cache& cache = caches_[node];
    const std::uint64_t version = versions_.contains(chunk.id) ? versions_[chunk.id] : 0;
    if (const auto old = cache.copies.find(chunk.id); old != cache.copies.end()) {
        old->second.version = version; // it was out of date
        cache.order.splice(cache.order.begin(), cache.order, old->second.place);
        return;
    }
    while (cache.bytes + chunk.bytes > description_.cache_bytes) {
        const auto last = cache.copies.find(cache.order.back());
        cache.bytes -= last->second.bytes;
        cache.copies.erase(last);
        cache.order.pop_back();
    }
    cache.order.push_front(chunk.id);
    cache.copies[chunk.id] = {cache.order.begin(), version, chunk.bytes};
    cache.bytes += chunk.bytes;
}

void Memory::note_write(unsigned node, const Chunk& chunk) {
    const std::uint64_t version = ++versions_[chunk.id];
    const auto own = caches_[node].copies.find(chunk.id);
    if (own != caches_[node].copies.end()) own->second.version = version;
}

} // namespace teff::machine
