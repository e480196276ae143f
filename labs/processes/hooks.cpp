// SPDX-License-Identifier: Apache-2.0
#include "processes/hooks.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "processes/layout.h"
#include "processes/modules.h"
#include "processes/report.h"

namespace teff::processes::hooks {

namespace {

struct Wanted {
    const Hook* hooks;
    unsigned count;
};

// The needed parts of a module's dynamic section.
struct Tables {
    const char* names = nullptr;
    const ElfW(Sym) * symbols = nullptr;
    const ElfW(Rela) * calls = nullptr;
    const ElfW(Rela) * others = nullptr;
    std::size_t call_bytes = 0, other_bytes = 0;
};

Tables tables_of(const dl_phdr_info& info) {
    Tables tables;
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_STRTAB) tables.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_SYMTAB) tables.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_JMPREL) tables.calls = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_RELA) tables.others = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
            if (entry->d_tag == DT_PLTRELSZ) tables.call_bytes = entry->d_un.d_val;
            if (entry->d_tag == DT_RELASZ) tables.other_bytes = entry->d_un.d_val;
        }
    }
    return tables;
}

bool is_read_only(const dl_phdr_info& info, std::uintptr_t at) {
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info.dlpi_phdr[i];
        if (header.p_type == PT_GNU_RELRO && at - (info.dlpi_addr + header.p_vaddr) < header.p_memsz) return true;
    }
    return false;
}

void change(const dl_phdr_info& info, std::uintptr_t at, void* to) {
    void* const page = reinterpret_cast<void*>(at & ~(kPage - 1));
    const bool guarded = is_read_only(info, at);
    if (guarded && mprotect(page, kPage, PROT_READ | PROT_WRITE) != 0) fail_errno("cannot change a module's entries");
    *reinterpret_cast<void**>(at) = to;
    if (guarded) mprotect(page, kPage, PROT_READ);
}

void change_all(const dl_phdr_info& info, const Tables& tables, const ElfW(Rela) * list, std::size_t bytes,
                const Wanted& wanted) {
    for (std::size_t i = 0; i < bytes / sizeof *list; ++i) {
        const auto kind = ELF64_R_TYPE(list[i].r_info);
        if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
        const char* const name = tables.names + tables.symbols[ELF64_R_SYM(list[i].r_info)].st_name;
        for (unsigned k = 0; k < wanted.count; ++k)
            if (std::strcmp(name, wanted.hooks[k].name) == 0)
                change(info, info.dlpi_addr + list[i].r_offset, wanted.hooks[k].ours);
    }
}

int change_module(dl_phdr_info* info, std::size_t, void* data) {
    if (modules::is_private(info->dlpi_name)) return 0;
    const Tables tables = tables_of(*info);
    if (tables.names == nullptr || tables.symbols == nullptr) return 0;
    const auto& wanted = *static_cast<const Wanted*>(data);
    if (tables.calls != nullptr) change_all(*info, tables, tables.calls, tables.call_bytes, wanted);
    if (tables.others != nullptr) change_all(*info, tables, tables.others, tables.other_bytes, wanted);
    return 0;
}

} // namespace

void place(const Hook* hooks, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        if (hooks[i].real != nullptr) *hooks[i].real = dlsym(RTLD_DEFAULT, hooks[i].name);
    Wanted wanted = {hooks, count};
    dl_iterate_phdr(change_module, &wanted);
}

} // namespace teff::processes::hooks
