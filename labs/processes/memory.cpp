// SPDX-License-Identifier: Apache-2.0
#include "processes/memory.h"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processes/changes.h"
#include "processes/descriptors.h"
#include "processes/layout.h"
#include "processes/modules.h"
#include "processes/written_pages.h"

namespace teff::processes::memory {

namespace {

struct Range {
    std::uintptr_t start, end;
    std::uintptr_t twin;        // where the file is mapped for reading and writing
    std::uint64_t offset;       // in the file
    std::uintptr_t from_module; // globals that lie before came from the module's file
};

constinit List<Range> ranges;
constinit List<modules::Span> written;
int file = -1;

// For each arena: the address up to which a core dump contains it.
constexpr std::uintptr_t kDumpStep = 1 << 20, kMostOfStack = 16 << 20;
constinit std::uintptr_t dumped_end[kMostProcesses] = {};
constinit modules::Span dumped_stack = {};
constinit unsigned arenas = 0;

// This is only an advice: if it fails, core dumps are larger.
void set_dumped(std::uintptr_t start, std::uintptr_t end, bool dumped) {
    if (start < end) madvise(reinterpret_cast<void*>(start), end - start, dumped ? MADV_DODUMP : MADV_DONTDUMP);
}

// Mappings that have just been made are dumped as a whole.
void choose_dumped(unsigned processes) {
    arenas = processes;
    set_dumped(kSharedBase, shared_end(processes), false);
    for (unsigned rank = 0; rank < processes; ++rank)
        set_dumped(arena_start(rank), dumped_end[rank], true);
    set_dumped(dumped_stack.start, dumped_stack.end, true);
    for (const Range& range : ranges)
        set_dumped(range.twin, range.twin + (range.end - range.start), false);
}

const Range* range_of(std::uintptr_t address) {
    for (const Range& range : ranges)
        if (address - range.start < range.end - range.start) return &range;
    return nullptr;
}

void add_range(std::uintptr_t start, std::uintptr_t end, std::uintptr_t from_module) {
    const std::uint64_t offset = ranges.empty() ? 0 : ranges.back().offset + (ranges.back().end - ranges.back().start);
    ranges.push({start, end, 0, offset, from_module});
}

// The ranges are sorted by address, so that all changes are, too.
void choose_ranges(unsigned processes) {
    List<modules::Globals> found;
    modules::find_globals(found);
    found.push({{kSharedBase, shared_end(processes)}, 0});
    while (!found.empty()) {
        std::size_t lowest = 0;
        for (std::size_t i = 1; i < found.size(); ++i)
            if (found[i].span.start < found[lowest].span.start) lowest = i;
        add_range(found[lowest].span.start, found[lowest].span.end, found[lowest].file_end);
        found.erase(lowest);
    }
}

int new_file() {
    const int made = descriptors::keep(memfd_create("teff-processes", MFD_CLOEXEC));
    if (made < 0) fail_errno("cannot make a file in memory");
    const Range& last = ranges.back();
    if (ftruncate(made, static_cast<off_t>(last.offset + (last.end - last.start))) != 0)
        fail_errno("cannot make a file in memory as large as the shared memory");
    return made;
}

void copy_out(int to, std::uintptr_t start, std::uintptr_t end, std::uint64_t offset) {
    while (start < end) {
        const ssize_t bytes = pwrite(to, reinterpret_cast<void*>(start), end - start, static_cast<off_t>(offset));
        if (bytes <= 0) fail_errno("no memory for the copy of the shared memory at %#lx", start);
        start += static_cast<std::uintptr_t>(bytes);
        offset += static_cast<std::uint64_t>(bytes);
    }
}

// Copies into the file the pages that were written since the mapping was made.
void copy_written(int to) {
    for (const Range& range : ranges) {
        written.clear();
        find_written(range.start, range.end, written);
        for (const modules::Span& span : written)
            copy_out(to, span.start, span.end, range.offset + (span.start - range.start));
    }
}

// Copies into the file the contents of the file of the parent process.
void copy_file(int from, int to) {
    for (const Range& range : ranges) {
        off_t at = static_cast<off_t>(range.offset);
        const auto end = static_cast<off_t>(range.offset + (range.end - range.start));
        while ((at = lseek(from, at, SEEK_DATA)) >= 0 && at < end) {
            off_t hole = lseek(from, at, SEEK_HOLE);
            if (hole < 0 || hole > end) hole = end;
            const std::uintptr_t start = range.start + (static_cast<std::uint64_t>(at) - range.offset);
            copy_out(to, start, start + static_cast<std::uintptr_t>(hole - at), static_cast<std::uint64_t>(at));
            at = hole;
        }
    }
}

// Globals that a module's file initialises are read from there until they are written.
void copy_globals(int to) {
    for (const Range& range : ranges)
        if (range.from_module > range.start) copy_out(to, range.start, range.from_module, range.offset);
}

void* map(std::uintptr_t at, const Range& range, int flags) {
    void* const mapped = mmap(reinterpret_cast<void*>(at), range.end - range.start, PROT_READ | PROT_WRITE,
                              flags | MAP_NORESERVE, file, static_cast<off_t>(range.offset));
    if (mapped == MAP_FAILED) fail_errno("cannot map the shared memory (%zu bytes)", range.end - range.start);
    return mapped;
}

void map_ranges(unsigned processes) {
    for (Range& range : ranges) {
        map(range.start, range, MAP_PRIVATE | MAP_FIXED);
        if (range.twin != 0) map(range.twin, range, MAP_SHARED | MAP_FIXED);
        else range.twin = reinterpret_cast<std::uintptr_t>(map(0, range, MAP_SHARED));
    }
    for (unsigned rank = 0; rank < processes; ++rank)
        mprotect(reinterpret_cast<void*>(stack_start(rank, processes)), kPage, PROT_NONE);
    choose_dumped(processes);
}

// Collecting.

void collect_page(const Range& range, std::uintptr_t page, std::size_t from, List<std::byte>& list) {
    auto* const mine = reinterpret_cast<const std::byte*>(page);
    auto* const twin = reinterpret_cast<std::byte*>(range.twin + (page - range.start));
    if (std::memcmp(mine + from, twin + from, kPage - from) == 0) return;
    changes::append_differences(list, page, mine, twin, from);
    std::memcpy(twin + from, mine + from, kPage - from);
}

void collect_span(const Range& range, modules::Span span, std::uintptr_t live, List<std::byte>& list) {
    for (std::uintptr_t page = span.start; page < span.end; page += kPage)
        collect_page(range, page, live > page ? live - page : 0, list);
    if (madvise(reinterpret_cast<void*>(span.start), span.end - span.start, MADV_DONTNEED) != 0)
        fail_errno("cannot give up written pages");
}

// Pages below the live part of the stack are left unchanged.
void collect_range(const Range& range, const Stack& stack, List<std::byte>& list) {
    const std::uintptr_t first_live = stack.live & ~(kPage - 1);
    for (modules::Span span : written) {
        if (span.start < stack.start && span.end > stack.start) {
            collect_span(range, {span.start, stack.start}, 0, list);
            span.start = stack.start;
        }
        const bool in_stack = span.start >= stack.start && span.start < stack.end;
        if (in_stack && span.start < first_live) span.start = first_live;
        if (span.start < span.end) collect_span(range, span, in_stack ? stack.live : 0, list);
    }
}

} // namespace

void reserve(unsigned processes) {
    const std::size_t bytes = shared_end(processes) - kSharedBase;
    void* const mapped = mmap(reinterpret_cast<void*>(kSharedBase), bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped != reinterpret_cast<void*>(kSharedBase))
        fail_errno("cannot reserve %zu GiB of addresses for the shared memory", bytes >> 30);
    for (unsigned rank = 0; rank < processes; ++rank)
        mprotect(reinterpret_cast<void*>(stack_start(rank, processes)), kPage, PROT_NONE);
    choose_dumped(processes);
}

void note_use(std::uintptr_t address) {
    const std::uintptr_t rank = (address - kSharedBase) / kArenaSpan;
    if (rank >= arenas || address < dumped_end[rank]) return;
    const std::uintptr_t start = dumped_end[rank] != 0 ? dumped_end[rank] : kSharedBase + rank * kArenaSpan;
    const std::uintptr_t end = (address & ~(kDumpStep - 1)) + kDumpStep;
    set_dumped(start, end, true);
    dumped_end[rank] = end;
}

void note_stack(std::uintptr_t start, std::uintptr_t end) {
    dumped_stack = {end - start > kMostOfStack ? end - kMostOfStack : start, end};
    set_dumped(dumped_stack.start, dumped_stack.end, true);
}

void make_replica(unsigned processes) {
    reopen_pagemap();
    const bool first = ranges.empty();
    if (first) choose_ranges(processes);
    const int earlier = file, made = new_file();
    if (first) copy_globals(made);
    else copy_file(earlier, made);
    copy_written(made);
    file = made;
    map_ranges(processes);
    if (earlier >= 0) descriptors::close_kept(earlier);
}

bool is_shared(const void* address) { return range_of(reinterpret_cast<std::uintptr_t>(address)) != nullptr; }

void collect(List<std::byte>& list, Stack stack) {
    for (const Range& range : ranges) {
        written.clear();
        find_written(range.start, range.end, written);
        collect_range(range, stack, list);
    }
}

void apply(const std::byte* list, std::size_t bytes) {
    const Range* range = nullptr;
    for (const std::byte* const end = list + bytes; list < end;) {
        const changes::Record record = changes::header(list);
        if (range == nullptr || record.page - range->start >= range->end - range->start) range = range_of(record.page);
        note_use(record.page);
        if (range == nullptr) fail("changes for %#lx arrived, which is not shared memory", record.page);
        changes::apply(list, reinterpret_cast<std::byte*>(range->twin + (record.page - range->start)));
        list += record.bytes;
    }
}

} // namespace teff::processes::memory
