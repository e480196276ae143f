// SPDX-License-Identifier: Apache-2.0
#include "preempt/code_ranges.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

namespace teff::preempt {

namespace {

struct Table {
    std::size_t count;
    Table* older;
    CodeRange* ranges() { return reinterpret_cast<CodeRange*>(this + 1); }
};

constinit std::atomic<Table*> table{nullptr};
constinit Table* newest = nullptr; // all that there were, for whoever adds and for leak checkers

// Code that is in no table.
struct Exempt {
    CodeRange code;
    Exempt* next;
};
constinit Exempt* all_exempt = nullptr;
constinit std::size_t exempt_count = 0;

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

// Takes `code` out of the ranges; returns how many are left, which may be one more than before.
std::size_t cut_out(const CodeRange& code, CodeRange* ranges, std::size_t count) {
    CodeRange behind{0, 0}; // what is left behind the code
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const CodeRange range = ranges[i];
        if (range.end <= code.begin || code.end <= range.begin) {
            ranges[kept++] = range;
            continue;
        }
        if (code.end < range.end) behind = {code.end, range.end};
        if (range.begin < code.begin) ranges[kept++] = {range.begin, code.begin};
    }
    if (behind.end == 0) return kept;
    CodeRange* const place =
        std::partition_point(ranges, ranges + kept, [&](const CodeRange& range) { return range.begin < behind.begin; });
    std::copy_backward(place, ranges + kept, ranges + kept + 1);
    *place = behind;
    return kept + 1;
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

bool add_code_ranges(std::span<const CodeRange> added) {
    const std::span<const CodeRange> before = code_ranges();
    const std::size_t count = before.size() + added.size(), most = count + exempt_count;
    auto* const fresh = static_cast<Table*>(std::malloc(sizeof(Table) + most * sizeof(CodeRange)));
    if (fresh == nullptr) return false;
    CodeRange* const all = fresh->ranges();
    std::copy(before.begin(), before.end(), all);
    std::copy(added.begin(), added.end(), all + before.size());
    std::sort(all, all + count, [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
    fresh->count = join(all, count);
    for (const Exempt* exempt = all_exempt; exempt != nullptr; exempt = exempt->next)
        fresh->count = cut_out(exempt->code, all, fresh->count);
    fresh->older = newest;
    newest = fresh;
    table.store(fresh, std::memory_order_release); // [ranges-1]
    return true;
}

bool exempt_code(const CodeRange& code) {
    auto* const exempt = static_cast<Exempt*>(std::malloc(sizeof(Exempt)));
    if (exempt == nullptr) return false;
    *exempt = {code, all_exempt};
    all_exempt = exempt;
    ++exempt_count;
    if (add_code_ranges({})) return true; // makes a new table
    all_exempt = exempt->next;
    --exempt_count;
    std::free(exempt);
    return false;
}

void clear_code_ranges() {
    table.store(nullptr, std::memory_order_release); // [ranges-1]
    while (Exempt* const exempt = std::exchange(all_exempt, all_exempt != nullptr ? all_exempt->next : nullptr))
        std::free(exempt);
    exempt_count = 0;
}

} // namespace teff::preempt
