// SPDX-License-Identifier: Apache-2.0
#include "processes/conflicts.h"

#include <cstring>

#include "processes/layout.h"
#include "processes/memory.h"

namespace teff::processes {

namespace {

using memory::PageRecord;
using memory::Run;

PageRecord header(const std::byte* record) {
    PageRecord copy;
    std::memcpy(&copy, record, sizeof copy);
    return copy;
}

template <class Visit> void for_runs(const std::byte* record, Visit visit) {
    const std::byte* at = record + sizeof(PageRecord);
    for (std::uint32_t i = 0; i < header(record).runs; ++i) {
        Run run;
        std::memcpy(&run, at, sizeof run);
        visit(run, at + sizeof run);
        at += sizeof run + run.bytes;
    }
}

// Whether a byte of the page gets another value by the second record than by the first: its offset.
std::size_t first_conflict(const std::byte* earlier, const std::byte* later) {
    std::byte values[kPage];
    bool changed[kPage] = {};
    for_runs(earlier, [&](Run run, const std::byte* bytes) {
        std::memcpy(values + run.offset, bytes, run.bytes);
        std::memset(changed + run.offset, 1, run.bytes);
    });
    std::size_t found = kPage;
    for_runs(later, [&](Run run, const std::byte* bytes) {
        for (std::size_t i = 0; i < run.bytes && found == kPage; ++i)
            if (changed[run.offset + i] && values[run.offset + i] != bytes[i]) found = run.offset + i;
    });
    return found;
}

} // namespace

std::uint64_t find_conflicts(const std::byte* earlier, std::size_t earlier_bytes, const std::byte* later,
                             std::size_t later_bytes, List<std::byte>& conflicting) {
    const std::byte* const earlier_end = earlier + earlier_bytes;
    const std::byte* const later_end = later + later_bytes;
    std::uint64_t address = 0;
    while (earlier < earlier_end && later < later_end) {
        const PageRecord first = header(earlier), second = header(later);
        if (first.page == second.page) {
            const std::size_t offset = first_conflict(earlier, later);
            if (offset != kPage && address == 0) address = first.page + offset;
            if (offset != kPage) conflicting.append(later, second.bytes);
        }
        if (first.page <= second.page) earlier += first.bytes;
        if (second.page <= first.page) later += second.bytes;
    }
    return address;
}

} // namespace teff::processes
