// SPDX-License-Identifier: Apache-2.0
#include "machine/placed.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mem/distribution.h"

namespace teff::machine {

namespace {

// Pages are placed on the requested nodes. The address of a page in an interleaved range determines
// its node, as in Linux.
class ModelledSystem final : public mem::System {
  public:
    explicit ModelledSystem(const mem::Nodes& nodes) : nodes_(nodes) {}

    long bind(mem::Range, mem::Policy, const mem::NodeMask&) const override { return 0; }
    long forbid_huge_pages(mem::Range) const override { return 0; }
    void* map(std::size_t) const override { return nullptr; }
    void unmap(mem::Range) const override {}
    long node_of_caller() const override { return nodes_.number[0]; }
    long node_of_page(void* page) const override {
        return nodes_.number[(reinterpret_cast<std::uintptr_t>(page) >> mem::kPageBits) % nodes_.count];
    }

  private:
    const mem::Nodes& nodes_;
};

struct Allocation {
    std::uintptr_t begin = 0; // in addresses that are multiplied
    std::uint64_t bytes = 0;  // as well
    mem::Placement placement;
};

class Placing {
  public:
    Placing(const Description& description, Spreading spreading)
        : spreading_(spreading == Spreading::standard && description.standard_is_fine ? Spreading::fine : spreading),
          scale_(std::max<std::uint64_t>(1, mem::kPageBytes / description.unit_bytes)) {
        for (unsigned node = 0; node < description.nodes; ++node)
            if (std::find(description.spare.begin(), description.spare.end(), node) == description.spare.end())
                nodes_.add(node);
    }

    Allocation allocate(std::uint64_t bytes, unsigned turn) {
        Allocation made{.begin = next_, .bytes = bytes * scale_, .placement = {}};
        const std::uint64_t pages = (made.bytes + mem::kPageBytes - 1) / mem::kPageBytes;
        if (spreading_ == Spreading::interleave) {
            constexpr std::uint64_t kHeader = 16; // of malloc
            made.begin += kHeader * scale_;
            next_ += (pages + 1) * mem::kPageBytes;
            made.placement = interleaved_at(made.begin);
            return made;
        }
        next_ += pages * mem::kPageBytes;
        if (spreading_ == Spreading::standard) made.placement = {mem::Spread::one_node, 0};
        else made.placement = ask(made.begin, pages, turn);
        return made;
    }

    // Adds to `sums`, by the machine's nodes, the bytes of a part of the allocation.
    void add(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes,
             std::vector<std::uint64_t>& sums) const {
        std::array<std::size_t, topo::NumaNodes::kMost> here = {};
        std::uintptr_t whole_begin = allocation.begin, begin = allocation.begin + offset * scale_;
        if (allocation.placement.spread == mem::Spread::interleaved) whole_begin &= ~(mem::kPageBytes - 1);
        (void)mem::add_bytes_per_node(allocation.placement, whole_begin, allocation.bytes, begin,
                                      begin + bytes * scale_, {here.data(), nodes_.count});
        for (unsigned node = 0; node < nodes_.count; ++node)
            sums[nodes_.number[node]] += here[node] / scale_;
    }

  private:
    mem::Placement interleaved_at(std::uintptr_t address) const {
        return {mem::Spread::interleaved, static_cast<std::uint8_t>((address >> mem::kPageBits) % nodes_.count)};
    }
    mem::Placement ask(std::uintptr_t begin, std::uint64_t pages, unsigned turn) const {
        const unsigned number = spreading_ == Spreading::fine ? mem::kFine : mem::kCoarse;
        const mem::Range range{reinterpret_cast<void*>(begin), pages * mem::kPageBytes};
        return mem::distribution(number).place(system_, nodes_, range, {.turn = turn}).placement;
    }

    Spreading spreading_;
    std::uint64_t scale_;
    mem::Nodes nodes_ = {.count = 0, .number = {}, .mask = {}};
    ModelledSystem system_{nodes_};
    std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

// Makes a chunk of whole lines, with at least one line on each node that has a byte.
Chunk make_chunk(std::uint64_t id, const std::vector<std::uint64_t>& bytes_on, std::uint64_t line) {
    Chunk chunk{.id = id, .bytes = 0, .parts = {}};
    for (std::uint32_t node = 0; node < bytes_on.size(); ++node) {
        if (bytes_on[node] == 0) continue;
        chunk.bytes += bytes_on[node];
        chunk.parts.push_back({node, static_cast<std::uint32_t>((bytes_on[node] + line - 1) / line)});
    }
    return chunk;
}

} // namespace

std::string_view name_of(Spreading spreading) {
    constexpr std::string_view kNames[] = {"standard", "fine", "coarse", "interleave"};
    return kNames[static_cast<unsigned>(spreading)];
}

Placed place(const Program& program, const Description& description, Spreading spreading) {
    Placing placing(description, spreading);
    std::vector<Allocation> allocations;
    for (const std::uint64_t bytes : program.allocations)
        allocations.push_back(placing.allocate(bytes, static_cast<unsigned>(allocations.size())));
    Placed placed;
    std::uint64_t next_id = 0;
    for (const Extent& extent : program.extents) {
        auto& chunks = placed.chunks.emplace_back();
        auto& all = placed.bytes_on.emplace_back(description.nodes);
        std::vector<std::uint64_t> sums(description.nodes);
        std::uint64_t filled = 0;
        const auto close = [&] {
            if (filled == 0) return;
            chunks.push_back(make_chunk(next_id++, sums, description.line_bytes));
            for (unsigned node = 0; node < description.nodes; ++node)
                all[node] += std::exchange(sums[node], 0);
            filled = 0;
        };
        for (std::uint64_t row = 0; row < extent.rows; ++row)
            for (std::uint64_t at = 0; at < extent.row_bytes;) {
                const std::uint64_t bytes = std::min(extent.row_bytes - at, kChunkBytes - filled);
                placing.add(allocations[extent.allocation], extent.offset + row * extent.stride + at, bytes, sums);
                at += bytes;
                filled += bytes;
                if (filled == kChunkBytes) close();
            }
        close();
    }
    return placed;
}

std::vector<std::uint64_t> named_bytes(const TaskSpec& task, const Placed& placed, unsigned nodes) {
    std::vector<std::uint64_t> sums(nodes);
    for (const Use& use : task.uses)
        for (unsigned node = 0; use.mode != Mode::order && node < nodes; ++node)
            sums[node] += placed.bytes_on[use.extent][node];
    return sums;
}

} // namespace teff::machine
