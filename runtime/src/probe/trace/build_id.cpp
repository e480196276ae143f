// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/build_id.h"

#include <algorithm>
#include <cstring>

#include "base/arch/arch.h"
#include "probe/trace/digest.h"

namespace teff::probe::trace {

namespace {

using Segment = ElfW(Phdr);

// What a segment has of the file; empty where that is no sound range.
struct Range {
    std::uintptr_t begin, end;

    std::size_t bytes() const { return end - begin; }
    bool covers(const Range& other) const { return other.begin >= begin && other.end <= end; }
};

Range range_of(const Segment& segment, std::uintptr_t bias) {
    const std::uintptr_t begin = bias + segment.p_vaddr;
    std::uintptr_t end;
    const bool wraps = __builtin_add_overflow(begin, std::min(segment.p_filesz, segment.p_memsz), &end);
    return {.begin = begin, .end = wraps ? begin : end};
}

// Sizes of a note's parts are rounded up to what its segment is aligned to, 4 or 8.
std::uint64_t id_among(const char* notes, std::size_t left, std::size_t align) {
    const auto rounded = [align](std::size_t bytes) { return (bytes + align - 1) & ~(align - 1); };
    ElfW(Nhdr) note;
    while (left >= sizeof note) {
        std::memcpy(&note, notes, sizeof note);
        const std::size_t id_at = sizeof note + rounded(note.n_namesz);
        const std::size_t bytes = id_at + rounded(note.n_descsz);
        if (id_at > left || note.n_descsz > left - id_at) return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + sizeof note, "GNU", 4) == 0) {
            std::uint64_t id = 0;
            std::memcpy(&id, notes + id_at, std::min<std::size_t>(note.n_descsz, sizeof id));
            return id;
        }
        if (bytes > left) return 0;
        notes += bytes;
        left -= bytes;
    }
    return 0;
}

// The linker puts the unwind tables behind their header, in one segment. If the tables are large,
// their beginning is enough, because the sizes of segments differ, too.
std::uint64_t digest_of_content(const Segment* segments, std::size_t count, std::uintptr_t bias) {
    constexpr std::uintptr_t kMostBytes = 2048;
    const Segment* const end = segments + count;
    std::uint64_t digest = mix_bytes(0, segments, count * sizeof *segments);
    for (const Segment* tables = segments; tables != end; ++tables) {
        if (tables->p_type != PT_GNU_EH_FRAME) continue;
        const Range range = range_of(*tables, bias);
        for (const Segment* segment = segments; segment != end; ++segment) {
            const Range loaded = range_of(*segment, bias);
            if (segment->p_type != PT_LOAD || (segment->p_flags & PF_R) == 0 || !loaded.covers(range)) continue;
            const std::uintptr_t bytes = std::min(loaded.end - range.begin, kMostBytes);
            return mix_bytes(digest, reinterpret_cast<const void*>(range.begin), bytes);
        }
    }
    return digest;
}

struct Headers {
    const Segment* segments;
    std::size_t count; // 0: they are not sound
};

Headers headers_in(std::uintptr_t begin, std::uintptr_t end) {
    constexpr std::size_t kPage = base::arch::kPageBytes;
    if (begin % kPage != 0 || end < begin || end - begin < kPage) return {nullptr, 0};
    ElfW(Ehdr) header;
    std::memcpy(&header, reinterpret_cast<const void*>(begin), sizeof header);
    const bool is_sound = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof(Segment) &&
                          header.e_phoff % alignof(Segment) == 0 && header.e_phoff <= kPage &&
                          header.e_phnum <= (kPage - header.e_phoff) / sizeof(Segment);
    if (!is_sound) return {nullptr, 0};
    return {reinterpret_cast<const Segment*>(begin + header.e_phoff), header.e_phnum};
}

} // namespace

std::uint64_t build_id(const Segment* segments, std::size_t count, std::uintptr_t bias) {
    const Segment* const end = segments + count;
    for (const Segment* note = segments; note != end; ++note) {
        if (note->p_type != PT_NOTE) continue;
        const Range range = range_of(*note, bias);
        const auto has_it = [&](const Segment& segment) {
            return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && range_of(segment, bias).covers(range);
        };
        if (range.bytes() == 0 || std::none_of(segments, end, has_it)) continue;
        const auto* const notes = reinterpret_cast<const char*>(range.begin);
        if (const std::uint64_t id = id_among(notes, range.bytes(), note->p_align == 8 ? 8 : 4); id != 0) return id;
    }
    return 0;
}

std::uint64_t build_mark(const Segment* segments, std::size_t count, std::uintptr_t bias) {
    const std::uint64_t id = build_id(segments, count, bias);
    return id != 0 ? id : digest_of_content(segments, count, bias);
}

std::uint64_t build_id_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias) {
    const Headers headers = headers_in(begin, end);
    return build_id(headers.segments, headers.count, bias);
}

std::uint64_t build_mark_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias) {
    const Headers headers = headers_in(begin, end);
    return build_mark(headers.segments, headers.count, bias);
}

} // namespace teff::probe::trace
