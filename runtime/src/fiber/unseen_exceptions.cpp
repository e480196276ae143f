// SPDX-License-Identifier: Apache-2.0
#include "fiber/unseen_exceptions.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fiber/context.h"

namespace teff::fiber {

namespace {

bool has_handlers(std::span<const char> file) {
    constexpr std::string_view kHandlers = ".gcc_except_table";
    if (file.size() < sizeof(ElfW(Ehdr)) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) return false;
    const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(file.data());
    const std::size_t bytes = std::size_t{header.e_shnum} * sizeof(ElfW(Shdr));
    if (header.e_shoff > file.size() || bytes > file.size() - header.e_shoff) return false;
    const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file.data() + header.e_shoff);
    if (header.e_shstrndx >= header.e_shnum) return false;
    const ElfW(Shdr)& names = sections[header.e_shstrndx];
    if (names.sh_offset > file.size() || names.sh_size > file.size() - names.sh_offset) return false;
    const std::string_view all(file.data() + names.sh_offset, names.sh_size);
    for (const ElfW(Shdr) & section : std::span(sections, header.e_shnum))
        if (section.sh_name < all.size() && all.substr(section.sh_name, kHandlers.size()) == kHandlers) return true;
    return false;
}

} // namespace

bool exceptions_are_out_of_sight() {
    if (knows_exceptions()) return false;
    const int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat status;
    bool found = false;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        const auto bytes = static_cast<std::size_t>(status.st_size);
        void* const file = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file != MAP_FAILED) {
            found = has_handlers({static_cast<const char*>(file), bytes});
            munmap(file, bytes);
        }
    }
    close(descriptor);
    return found;
}

} // namespace teff::fiber
