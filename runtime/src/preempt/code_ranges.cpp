// SPDX-License-Identifier: Apache-2.0
#include "preempt/code_ranges.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace teff::preempt {

namespace {

struct Table {
    std::size_t count;
    Table* older;
    CodeRange* ranges() { return reinterpret_cast<CodeRange*>(this + 1); }
};

constinit std::atomic<Table*> table{nullptr};
constinit Table* newest = nullptr; // all that there were, for whoever adds and for leak checkers

// Joins those that touch or overlap; returns how many are left.
std::size_t join(CodeRange* ranges, std::size_t count) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (kept != 0 && ranges[i].begin <= ranges[kept - 1].end)
            ranges[kept - 1].end = std::max(ranges[kept - 1].end, ranges[i].end);
        else ranges[kept++] = ranges[i];
    }
    return kept;
}

} // namespace

std::span<const CodeRange> code_ranges() {
    Table* const current = table.load(std::memory_order_acquire); // [ranges-1]
    if (current == nullptr) return {};
    return {current->ranges(), current->count};
}

bool is_preemptible(const void* instruction) {
    const auto address = reinterpret_cast<std::uintptr_t>(instruction);
    const std::span<const CodeRange> ranges = code_ranges();
    // The first that ends behind it.
    const auto found = std::partition_point(ranges.begin(), ranges.end(),
                                            [address](const CodeRange& range) { return range.end <= address; });
    return found != ranges.end() && found->begin <= address;
}

bool add_code_ranges(std::span<const CodeRange> ranges) {
    const std::span<const CodeRange> before = code_ranges();
    const std::size_t most = before.size() + ranges.size();
    auto* const fresh = static_cast<Table*>(std::malloc(sizeof(Table) + most * sizeof(CodeRange)));
    if (fresh == nullptr) return false;
    CodeRange* const all = fresh->ranges();
    std::copy(before.begin(), before.end(), all);
    std::copy(ranges.begin(), ranges.end(), all + before.size());
    std::sort(all, all + most, [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
    fresh->count = join(all, most);
    fresh->older = newest;
    newest = fresh;
    table.store(fresh, std::memory_order_release); // [ranges-1]
    return true;
}

void clear_code_ranges() { table.store(nullptr, std::memory_order_release); } // [ranges-1]

} // namespace teff::preempt
