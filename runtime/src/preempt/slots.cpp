// SPDX-License-Identifier: Apache-2.0
#include "preempt/slots.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <sys/mman.h>

#include "base/arch/arch.h"

namespace teff::preempt {

namespace {

// What the dynamic section of an object says.
struct Tables {
    std::span<const ElfW(Rela)> calls; // of functions
    std::span<const ElfW(Rela)> values;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Half) * versions = nullptr; // null: the object knows no versions
    const ElfW(Verneed) * needed_versions = nullptr;
    bool has_run_path = false;
};

// The dynamic linker has added the base to some of the addresses, which depends on its version.
template <class T> const T* in_memory(const Loaded& object, ElfW(Addr) address) {
    return reinterpret_cast<const T*>(address < object.base ? address + object.base : address);
}

Tables read_tables(const Loaded& object) {
    Tables tables;
    const ElfW(Rela)* calls = nullptr;
    const ElfW(Rela)* values = nullptr;
    std::size_t calls_bytes = 0, values_bytes = 0;
    for (const ElfW(Dyn)* entry = object.dynamic(); entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
        const ElfW(Addr) address = entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_JMPREL:
            calls = in_memory<ElfW(Rela)>(object, address);
            break;
        case DT_PLTRELSZ:
            calls_bytes = entry->d_un.d_val;
            break;
        case DT_RELA:
            values = in_memory<ElfW(Rela)>(object, address);
            break;
        case DT_RELASZ:
            values_bytes = entry->d_un.d_val;
            break;
        case DT_SYMTAB:
            tables.symbols = in_memory<ElfW(Sym)>(object, address);
            break;
        case DT_STRTAB:
            tables.names = in_memory<char>(object, address);
            break;
        case DT_VERSYM:
            tables.versions = in_memory<ElfW(Half)>(object, address);
            break;
        case DT_VERNEED:
            tables.needed_versions = in_memory<ElfW(Verneed)>(object, address);
            break;
        case DT_RPATH:
        case DT_RUNPATH:
            tables.has_run_path = true;
            break;
        default:
            break;
        }
    }
    if (calls != nullptr) tables.calls = {calls, calls_bytes / sizeof *calls};
    if (values != nullptr) tables.values = {values, values_bytes / sizeof *values};
    return tables;
}

} // namespace

bool uses_thread_locals_of_others(const Loaded& object) {
    const Tables tables = read_tables(object);
    const auto is_one = [](const ElfW(Rela) & relocation) {
        return base::arch::is_thread_local_slot(ELF64_R_TYPE(relocation.r_info)) && ELF64_R_SYM(relocation.r_info) != 0;
    };
    return std::any_of(tables.values.begin(), tables.values.end(), is_one) ||
           std::any_of(tables.calls.begin(), tables.calls.end(), is_one);
}

namespace {

template <class T> const T* behind(const void* start, std::size_t bytes) {
    return reinterpret_cast<const T*>(static_cast<const char*>(start) + bytes);
}

// The version in which a symbol is requested; empty if in none.
std::string_view version_of(const Tables& tables, std::size_t symbol) {
    if (tables.versions == nullptr || tables.needed_versions == nullptr) return {};
    constexpr unsigned kHidden = 0x8000;
    const unsigned wanted = tables.versions[symbol] & ~kHidden;
    for (const auto* file = tables.needed_versions;; file = behind<ElfW(Verneed)>(file, file->vn_next)) {
        const auto* version = behind<ElfW(Vernaux)>(file, file->vn_aux);
        for (unsigned left = file->vn_cnt; left != 0; --left) {
            if (version->vna_other == wanted) return tables.names + version->vna_name;
            version = behind<ElfW(Vernaux)>(version, version->vna_next);
        }
        if (file->vn_next == 0) return {};
    }
}

bool holds(Condition condition, const Tables& tables, std::size_t symbol) {
    switch (condition) {
    case Condition::always:
        return true;
    case Condition::new_version:
        return version_of(tables, symbol) != "GLIBC_2.2.5";
    case Condition::no_run_path:
        return !tables.has_run_path;
    }
    __builtin_unreachable();
}

// Null: its function stays.
void* function_for(const Tables& tables, const ElfW(Rela) & relocation) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
    const std::size_t symbol = ELF64_R_SYM(relocation.r_info);
    if (!base::arch::is_function_slot(type) || symbol == 0) return nullptr;
    const Interposed* const found = find_interposed(tables.names + tables.symbols[symbol].st_name);
    if (found == nullptr || !holds(found->condition, tables, symbol)) return nullptr;
    return found->function;
}

// The pages that the dynamic linker has made read-only after it filled them in.
class Sealed {
  public:
    explicit Sealed(const Loaded& object) {
        for (const ElfW(Phdr) & segment : object.segments) {
            if (segment.p_type != PT_GNU_RELRO) continue;
            begin_ = (object.base + segment.p_vaddr) & kPage;
            end_ = (object.base + segment.p_vaddr + segment.p_memsz) & kPage;
        }
    }
    ~Sealed() {
        if (open_) (void)change(PROT_READ);
    }
    Sealed(const Sealed&) = delete;
    Sealed& operator=(const Sealed&) = delete;

    // False: the system does not allow it.
    [[nodiscard]] bool open_for(const void* slot) {
        const auto address = reinterpret_cast<std::uintptr_t>(slot);
        if (open_ || address < begin_ || address >= end_) return true;
        open_ = change(PROT_READ | PROT_WRITE);
        return open_;
    }

  private:
    static constexpr std::uintptr_t kPage = ~(base::arch::kPageBytes - 1);

    [[nodiscard]] bool change(int protection) const {
        return mprotect(reinterpret_cast<void*>(begin_), end_ - begin_, protection) == 0;
    }

    std::uintptr_t begin_ = 0, end_ = 0;
    bool open_ = false;
};

} // namespace

bool patch_slots(const Loaded& object) {
    const Tables tables = read_tables(object);
    if (tables.symbols == nullptr || tables.names == nullptr) return true; // it calls nobody
    Sealed sealed(object);
    for (const auto relocations : {tables.calls, tables.values})
        for (const ElfW(Rela) & relocation : relocations) {
            void* const function = function_for(tables, relocation);
            if (function == nullptr) continue;
            auto* const slot = reinterpret_cast<void**>(object.base + relocation.r_offset);
            if (*slot == nullptr) continue; // a weak function that is not there: the program asks
            if (!sealed.open_for(slot)) return false;
            // Relaxed: both functions are there, whichever a thread finds.
            std::atomic_ref<void*>(*slot).store(function, std::memory_order_relaxed);
        }
    return true;
}

} // namespace teff::preempt
