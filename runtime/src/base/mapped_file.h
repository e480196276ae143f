// SPDX-License-Identifier: Apache-2.0
// Reads a file's bytes, and the table of sections of an ELF file. All positions that are given in
// the file are checked, so the file may be of any kind, and may be damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/uncancelled.h"

namespace teff::base {

// A file that is mapped into memory, read-only. It counts as empty if it cannot be mapped.
class MappedFile {
  public:
    explicit MappedFile(const char* path) {
        const Uncancelled whole;
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

    // Returns the address of `count` objects at `offset` bytes from the file's begin. Null if the
    // file ends before their end, or if `offset` is not aligned for T.
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

    // Returns the table of sections; empty if the file is not an ELF file or has no sections.
    std::span<const ElfW(Shdr)> sections() const {
        const auto* const header = at<ElfW(Ehdr)>(0, 1);
        if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
        const auto* const sections = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
        if (sections == nullptr || header->e_shoff == 0 || header->e_shstrndx >= header->e_shnum) return {};
        return {sections, header->e_shnum};
    }
    // Returns the name of a section. `section` must be an element of sections().
    std::string_view name_of(const ElfW(Shdr) & section) const {
        return text_at(sections()[at<ElfW(Ehdr)>(0, 1)->e_shstrndx].sh_offset + section.sh_name);
    }

  private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace teff::base
