// SPDX-License-Identifier: Apache-2.0
#include "abi/precedence.h"

#include <link.h>
#include <optional>
#include <string_view>

namespace teff::abi {

namespace {

using icv::Precedence;

// libgomp-e985bcbb.so.1 is the name that a tool which bundles libraries gives its copy.
std::optional<Precedence> precedence_of(std::string_view library) {
    library.remove_prefix(library.rfind('/') + 1);
    for (const std::string_view name : {"libomp.so", "libomp5.so", "libiomp5.so", "libomp-", "libiomp5-"})
        if (library.starts_with(name)) return Precedence::of_libomp;
    for (const std::string_view name : {"libgomp.so", "libgomp-"})
        if (library.starts_with(name)) return Precedence::of_libgomp;
    return std::nullopt;
}

const ElfW(Dyn) * dynamic_section(const dl_phdr_info& object) {
    for (unsigned i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    return nullptr;
}

// Some linkers leave this address as it is in the file.
const char* names_of(const dl_phdr_info& object, const ElfW(Dyn) * dynamic) {
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
        const ElfW(Addr) address = dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_STRTAB)
            return reinterpret_cast<const char*>(address < object.dlpi_addr ? address + object.dlpi_addr : address);
    }
    return nullptr;
}

int look_at(dl_phdr_info* object, std::size_t, void* result) {
    const ElfW(Dyn)* dynamic = dynamic_section(*object);
    const char* const names = dynamic != nullptr ? names_of(*object, dynamic) : nullptr;
    if (names == nullptr) return 0;
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
        if (dynamic->d_tag != DT_NEEDED) continue;
        const auto found = precedence_of(names + dynamic->d_un.d_val);
        if (found) return *static_cast<Precedence*>(result) = *found, 1;
    }
    return 0;
}

} // namespace

// The program comes first, then its libraries in the order in which they were loaded.
icv::Precedence precedence_of_program() {
    Precedence result = Precedence::of_libgomp;
    dl_iterate_phdr(look_at, &result);
    return result;
}

} // namespace teff::abi
