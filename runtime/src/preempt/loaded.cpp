// SPDX-License-Identifier: Apache-2.0
#include "preempt/loaded.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/mapped_file.h"

namespace teff::preempt {

namespace {

bool is_linkers(std::string_view section) {
    constexpr std::string_view kPlt = ".plt";
    if (section == ".init" || section == ".fini") return true;
    return section.size() >= kPlt.size() && std::string_view(section.data(), kPlt.size()) == kPlt;
}

bool is_code(const ElfW(Shdr) & section) {
    constexpr auto kWanted = SHF_ALLOC | SHF_EXECINSTR;
    return (section.sh_flags & kWanted) == kWanted && section.sh_size != 0;
}

CodeRange range_at(std::uintptr_t base, std::uintptr_t address, std::size_t bytes) {
    return {base + address, base + address + bytes};
}

// In an executable segment of what is loaded: the file may be another by now.
bool is_loaded_code(const Loaded& object, const CodeRange& range) {
    return std::any_of(object.segments.begin(), object.segments.end(), [&](const ElfW(Phdr) & segment) {
        const CodeRange loaded = range_at(object.base, segment.p_vaddr, segment.p_memsz);
        return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && loaded.begin <= range.begin &&
               range.begin <= range.end && range.end <= loaded.end;
    });
}

std::size_t find_sections(const Loaded& object, std::span<CodeRange> room) {
    const base::MappedFile file(object.path);
    std::size_t count = 0;
    for (const ElfW(Shdr) & section : file.sections()) {
        if (!is_code(section) || is_linkers(file.name_of(section))) continue;
        const CodeRange range = range_at(object.base, section.sh_addr, section.sh_size);
        if (!is_loaded_code(object, range)) continue;
        if (count == room.size()) return 0;
        room[count++] = range;
    }
    return count;
}

} // namespace

bool Loaded::contains(const void* address) const {
    return std::any_of(segments.begin(), segments.end(), [&](const ElfW(Phdr) & segment) {
        const CodeRange loaded = range_at(base, segment.p_vaddr, segment.p_memsz);
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        return segment.p_type == PT_LOAD && loaded.begin <= at && at < loaded.end;
    });
}

bool Loaded::has_thread_locals() const {
    return std::any_of(segments.begin(), segments.end(),
                       [](const ElfW(Phdr) & segment) { return segment.p_type == PT_TLS && segment.p_memsz != 0; });
}

const void* Loaded::frame_tables() const {
    for (const ElfW(Phdr) & segment : segments)
        if (segment.p_type == PT_GNU_EH_FRAME) return reinterpret_cast<const void*>(base + segment.p_vaddr);
    return nullptr;
}

const ElfW(Dyn) * Loaded::dynamic() const {
    for (const ElfW(Phdr) & segment : segments)
        if (segment.p_type == PT_DYNAMIC) return reinterpret_cast<const ElfW(Dyn)*>(base + segment.p_vaddr);
    return nullptr;
}

std::size_t find_code(const Loaded& object, std::span<CodeRange> room) {
    std::size_t count = find_sections(object, room);
    if (count != 0) return count;
    for (const ElfW(Phdr) & segment : object.segments)
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && count < room.size())
            room[count++] = range_at(object.base, segment.p_vaddr, segment.p_memsz);
    return count;
}

} // namespace teff::preempt
