// SPDX-License-Identifier: Apache-2.0
#include "device/modules.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <link.h>

#include "base/round_up.h"

namespace teff::device {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr char kRemoved[] = " (deleted)"; // the system adds this to the path of a file that is gone

std::size_t count_at_start = SIZE_MAX; // modules stay in the order in which they were loaded

const char* without_folder(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

// Copies the build id that is among the notes of a segment, if there is one.
void find_build_id(const char* notes, std::size_t bytes, std::size_t alignment, ModuleRecord& record) {
    std::size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= bytes) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        const std::size_t name = at + sizeof note, text = base::round_up(name + note.n_namesz, alignment);
        if (text > bytes || note.n_descsz > bytes - text) return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
            std::memcpy(record.build_id, notes + text, std::min<std::size_t>(note.n_descsz, sizeof record.build_id));
            return;
        }
        at = base::round_up(text + note.n_descsz, alignment);
    }
}

} // namespace

bool ModuleRecord::is_same_file(const ModuleRecord& other) const {
    return bytes == other.bytes && std::memcmp(build_id, other.build_id, sizeof build_id) == 0;
}

bool ModuleRecord::has_name_of(const ModuleRecord& other) const {
    return std::strncmp(name, other.name, sizeof name) == 0;
}

bool ModuleRecord::has_build_id() const {
    return std::any_of(std::begin(build_id), std::end(build_id), [](unsigned char byte) { return byte != 0; });
}

void Modules::add(const void* loaded) {
    const auto& info = *static_cast<const dl_phdr_info*>(loaded);
    const char* const name = without_folder(info.dlpi_name);
    if (std::strncmp(name, "linux-vdso", 10) == 0) return; // the kernel's
    ModuleRecord record = {};
    record.base = info.dlpi_addr;
    std::strncpy(record.name, name, sizeof record.name - 1);
    const auto module = static_cast<std::uint32_t>(records_.size());
    Range constant = {};
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info.dlpi_phdr[i];
        const Range range = {info.dlpi_addr + part.p_vaddr, part.p_memsz};
        if (part.p_type == PT_GNU_RELRO) constant = range;
        if (part.p_type == PT_NOTE)
            find_build_id(reinterpret_cast<const char*>(range.address), part.p_memsz, part.p_align == 8 ? 8 : 4,
                          record);
        if (part.p_type != PT_LOAD) continue;
        record.bytes = std::max<std::uint64_t>(record.bytes, part.p_vaddr + part.p_memsz);
        segments_.push({range, module, (part.p_flags & PF_W) != 0, (part.p_flags & PF_X) != 0});
    }
    records_.push(record);
    // The loader makes whole pages constant. The first match in segments_ counts.
    const Address end = constant.end() & ~(kPage - 1);
    if (end > constant.address) segments_.insert(0, {{constant.address, end - constant.address}, module, false, false});
}

void Modules::read() {
    base::List<ModuleRecord> old_records;
    base::List<Other> old_others;
    old_records.swap(records_);
    old_others.swap(others_);
    segments_.clear();
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
            static_cast<Modules*>(self)->add(info);
            return 0;
        },
        this);
    others_.resize(records_.size());
    for (std::size_t i = count_at_start; i < records_.size(); ++i)
        for (std::size_t k = count_at_start; k < old_records.size(); ++k)
            if (std::memcmp(&records_[i], &old_records[k], sizeof records_[i]) == 0) others_[i] = old_others[k];
}

std::uint64_t Modules::changes() {
    std::uint64_t changes = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<std::uint64_t*>(result) = info->dlpi_adds + info->dlpi_subs;
            return 1;
        },
        &changes);
    return changes;
}

const ModuleRecord* Modules::match(const ModuleRecord* others, std::size_t count) {
    for (std::size_t i = 0; i < records_.size(); ++i) {
        const bool is_later = i >= count_at_start;
        if (is_later && (others_[i].is_known || !records_[i].has_build_id())) continue;
        bool has_other_version = false;
        others_[i] = {};
        for (std::size_t k = 0; k < count && !others_[i].is_known; ++k) {
            if (!records_[i].has_name_of(others[k])) continue;
            if (records_[i].is_same_file(others[k])) others_[i] = {true, others[k].base};
            else has_other_version = true;
        }
        if (!others_[i].is_known && !is_later && has_other_version) return &records_[i];
    }
    look_for_unmatched();
    return nullptr;
}

bool Modules::match_at(Address address, const ModuleRecord& other) {
    const Segment* const segment = segment_of(address);
    if (segment == nullptr || !records_[segment->module].is_same_file(other)) return false;
    others_[segment->module] = {true, other.base};
    look_for_unmatched();
    return true;
}

void Modules::look_for_unmatched() {
    has_unmatched_ = false;
    for (std::size_t i = count_at_start; i < records_.size(); ++i)
        has_unmatched_ = has_unmatched_ || !others_[i].is_known;
}

void Modules::note_start() {
    Modules now;
    now.read();
    count_at_start = now.records_.size();
}

bool Modules::lie_equally() const {
    for (std::size_t i = 0; i < std::min(records_.size(), count_at_start); ++i)
        if (others_[i].is_known && others_[i].base != records_[i].base) return false;
    return true;
}

const Modules::Segment* Modules::segment_of(Address address) const {
    for (const Segment& segment : segments_)
        if (address - segment.range.address < segment.range.bytes) return &segment;
    return nullptr;
}

bool Modules::is_later(Address address) const {
    const Segment* const segment = segment_of(address);
    return segment != nullptr && segment->module >= count_at_start;
}

bool Modules::is_unmatched(Address address) const {
    const Segment* const segment = segment_of(address);
    return segment != nullptr && segment->module >= count_at_start && !others_[segment->module].is_known;
}

Address Modules::address_in_file(Address address) const {
    const Segment* const segment = segment_of(address);
    for (const Segment& other : segments_)
        if (segment != nullptr && other.module == segment->module && !other.is_writable) return other.range.address;
    return address;
}

Storage Modules::storage(Range range) const {
    const Segment* const segment = segment_of(range.address);
    if (segment == nullptr) return Storage::elsewhere;
    return segment->is_writable && segment->range.contains(range) ? Storage::writable : Storage::constant;
}

bool Modules::is_code(Address address) const {
    const Segment* const segment = segment_of(address);
    return segment != nullptr && segment->is_code;
}

Address Modules::translate(Address address) const {
    const Segment* const segment = segment_of(address);
    if (segment == nullptr || !others_[segment->module].is_known) return 0;
    return address - records_[segment->module].base + others_[segment->module].base;
}

const ModuleRecord* Modules::find(Address address) const {
    const Segment* const segment = segment_of(address);
    return segment == nullptr ? nullptr : &records_[segment->module];
}

PlaceText Modules::describe(Address code) const {
    PlaceText place = {};
    const ModuleRecord* const module = find(code);
    if (module == nullptr) return place;
    const char* const name = module->name[0] != '\0' ? module->name : program_invocation_short_name;
    const auto offset = static_cast<unsigned long long>(code - module->base);
    std::snprintf(place.text, sizeof place.text, "%s+0x%llx (addr2line -e %s 0x%llx)", name, offset, name, offset);
    return place;
}

void find_path_of_module_at(Address address, base::List<char>& path) {
    std::FILE* const mappings = std::fopen("/proc/self/maps", "re");
    char* line = nullptr;
    std::size_t room = 0;
    path.clear();
    while (mappings != nullptr && getline(&line, &room, mappings) > 0) {
        unsigned long long begin, end;
        if (std::sscanf(line, "%llx-%llx", &begin, &end) != 2 || address < begin || address >= end) continue;
        const char* const name = std::strchr(line, '/');
        if (name == nullptr) break;
        std::size_t bytes = std::strcspn(name, "\n");
        constexpr std::size_t kMark = sizeof kRemoved - 1;
        if (bytes > kMark && std::memcmp(name + bytes - kMark, kRemoved, kMark) == 0) bytes -= kMark;
        path.append(name, bytes);
        break;
    }
    path.push('\0');
    std::free(line);
    if (mappings != nullptr) std::fclose(mappings);
}

} // namespace teff::device
