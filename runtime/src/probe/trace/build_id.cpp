// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/build_id.h"

#include <algorithm>
#include <cstring>

#include "base/arch/arch.h"
#include "probe/trace/digest.h"
#include "probe/trace/own_memory.h"

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

constexpr std::size_t kMostNotes = sizeof ObjectCopy::content, kMostTables = sizeof ObjectCopy::content;

// The memory of an object, where it lies or as a copy. Null: it cannot be read.
const void* headers_at(std::uintptr_t begin, ObjectCopy* copy) {
    if (copy == nullptr) return reinterpret_cast<const void*>(begin);
    return OwnMemory().read(begin, copy->headers, sizeof copy->headers) ? copy->headers : nullptr;
}

const void* content_at(std::uintptr_t begin, std::size_t bytes, ObjectCopy* copy) {
    if (copy == nullptr) return reinterpret_cast<const void*>(begin);
    return OwnMemory().read(begin, copy->content, bytes) ? copy->content : nullptr;
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
std::uint64_t digest_of_content(const Segment* segments, std::size_t count, std::uintptr_t bias, ObjectCopy* copy) {
    const Segment* const end = segments + count;
    std::uint64_t digest = mix_bytes(0, segments, count * sizeof *segments);
    for (const Segment* tables = segments; tables != end; ++tables) {
        if (tables->p_type != PT_GNU_EH_FRAME) continue;
        const Range range = range_of(*tables, bias);
        for (const Segment* segment = segments; segment != end; ++segment) {
            const Range loaded = range_of(*segment, bias);
            if (segment->p_type != PT_LOAD || (segment->p_flags & PF_R) == 0 || !loaded.covers(range)) continue;
            const std::size_t bytes = std::min(loaded.end - range.begin, kMostTables);
            const void* const content = content_at(range.begin, bytes, copy);
            return content != nullptr ? mix_bytes(digest, content, bytes) : digest;
        }
    }
    return digest;
}

std::uint64_t id_of(const Segment* segments, std::size_t count, std::uintptr_t bias, ObjectCopy* copy) {
    const Segment* const end = segments + count;
    for (const Segment* note = segments; note != end; ++note) {
        if (note->p_type != PT_NOTE) continue;
        const Range range = range_of(*note, bias);
        const auto has_it = [&](const Segment& segment) {
            return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && range_of(segment, bias).covers(range);
        };
        if (range.bytes() == 0 || std::none_of(segments, end, has_it)) continue;
        const std::size_t bytes = std::min(range.bytes(), kMostNotes);
        const auto* const notes = static_cast<const char*>(content_at(range.begin, bytes, copy));
        if (notes == nullptr) continue;
        if (const std::uint64_t id = id_among(notes, bytes, note->p_align == 8 ? 8 : 4); id != 0) return id;
    }
    return 0;
}

Build build_of(const Segment* segments, std::size_t count, std::uintptr_t bias, ObjectCopy* copy) {
    if (count == 0) return {};
    const std::uint64_t id = id_of(segments, count, bias, copy);
    return {.id = id, .mark = id != 0 ? id : digest_of_content(segments, count, bias, copy)};
}

} // namespace

Build build_of(const Segment* segments, std::size_t count, std::uintptr_t bias) {
    return build_of(segments, count, bias, nullptr);
}

Build build_in(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t bias, ObjectCopy* copy) {
    constexpr std::size_t kPage = base::arch::kPageBytes;
    static_assert(kPage == sizeof ObjectCopy::headers);
    if (begin % kPage != 0 || end < begin || end - begin < kPage) return {};
    const auto* const page = static_cast<const char*>(headers_at(begin, copy));
    if (page == nullptr) return {};
    ElfW(Ehdr) header;
    std::memcpy(&header, page, sizeof header);
    const bool is_sound = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof(Segment) &&
                          header.e_phoff % alignof(Segment) == 0 && header.e_phoff <= kPage &&
                          header.e_phnum <= (kPage - header.e_phoff) / sizeof(Segment);
    if (!is_sound) return {};
    return build_of(reinterpret_cast<const Segment*>(page + header.e_phoff), header.e_phnum, bias, copy);
}

} // namespace teff::probe::trace
