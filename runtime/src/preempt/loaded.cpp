// SPDX-License-Identifier: Apache-2.0
#include "preempt/loaded.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_call.h"

namespace teff::preempt {

namespace {

// A file, read-only in memory. Empty if it cannot be had.
class MappedFile {
  public:
    explicit MappedFile(const char* path) {
        const base::Uncancelled whole;
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        struct stat status;
        if (fstat(file, &status) == 0 && status.st_size > 0) {
            bytes_ = static_cast<std::size_t>(status.st_size);
            memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
            if (memory_ == MAP_FAILED) memory_ = nullptr;
        }
        close(file);
    }
    ~MappedFile() {
        if (memory_ != nullptr) munmap(memory_, bytes_);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    // `count` of them from an offset on. Null: the file does not hold so many there.
    template <class T> const T* at(std::uint64_t offset, std::uint64_t count) const {
        if (memory_ == nullptr || offset > bytes_ || offset % alignof(T) != 0) return nullptr;
        if (count > (bytes_ - offset) / sizeof(T)) return nullptr;
        return reinterpret_cast<const T*>(static_cast<const char*>(memory_) + offset);
    }

    std::string_view text_at(std::uint64_t offset) const {
        const char* const text = at<char>(offset, 1);
        if (text == nullptr) return {};
        return {text, strnlen(text, bytes_ - offset)};
    }

  private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

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
    const MappedFile file(object.path);
    const auto* const header = file.at<ElfW(Ehdr)>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
    const auto* const sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    if (sections == nullptr || header->e_shoff == 0 || header->e_shstrndx >= header->e_shnum) return 0;
    const std::uint64_t names = sections[header->e_shstrndx].sh_offset;
    std::size_t count = 0;
    for (const ElfW(Shdr) & section : std::span(sections, header->e_shnum)) {
        if (!is_code(section) || is_linkers(file.text_at(names + section.sh_name))) continue;
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
