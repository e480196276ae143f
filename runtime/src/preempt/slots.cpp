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
    const std::uint32_t* gnu_hash = nullptr;
    const std::uint32_t* hash = nullptr;
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
        case DT_GNU_HASH:
            tables.gnu_hash = in_memory<std::uint32_t>(object, address);
            break;
        case DT_HASH:
            tables.hash = in_memory<std::uint32_t>(object, address);
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

constinit std::span<const std::string_view> functions_of_copies; // set before preemption begins

} // namespace

void set_functions_of_copies(std::span<const std::string_view> names) { functions_of_copies = names; }

bool makes_copy_of_thread(std::string_view name) {
    return std::find(functions_of_copies.begin(), functions_of_copies.end(), name) != functions_of_copies.end();
}

bool uses_thread_locals_of_others(const Loaded& object) {
    const Tables tables = read_tables(object);
    const auto is_one = [&tables](const ElfW(Rela) & relocation) {
        const std::size_t symbol = ELF64_R_SYM(relocation.r_info);
        if (symbol == 0) return false;
        const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
        if (base::arch::is_thread_local_slot(type)) return true;
        return base::arch::is_function_slot(type) &&
               makes_copy_of_thread(tables.names + tables.symbols[symbol].st_name);
    };
    return std::any_of(tables.values.begin(), tables.values.end(), is_one) ||
           std::any_of(tables.calls.begin(), tables.calls.end(), is_one);
}

namespace {

bool is_function(const ElfW(Sym) & symbol) { return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC; }

// Returns one more than the number of the last symbol that the object defines for others; nothing
// if it has no table of these. In a table of the GNU form, the symbols of one bucket follow each
// other, and the last of them has the lowest bit of its hash set.
std::optional<std::size_t> count_symbols(const Tables& tables) {
    if (tables.hash != nullptr) return tables.hash[1];
    if (tables.gnu_hash == nullptr) return std::nullopt;
    const std::uint32_t bucket_count = tables.gnu_hash[0], first_symbol = tables.gnu_hash[1];
    const std::uint32_t filter_words = tables.gnu_hash[2];
    const std::uint32_t* const buckets = tables.gnu_hash + 4 + filter_words * (sizeof(ElfW(Addr)) / 4);
    const std::uint32_t* const hashes = buckets + bucket_count;
    const std::uint32_t* const highest = std::max_element(buckets, buckets + bucket_count);
    if (bucket_count == 0 || *highest < first_symbol) return first_symbol; // it defines none
    std::uint32_t symbol = *highest;
    while ((hashes[symbol - first_symbol] & 1u) == 0)
        ++symbol;
    return symbol + 1;
}

} // namespace

std::optional<SlotFunction> function_of_slot(const Loaded& object, std::uintptr_t slot) {
    const Tables tables = read_tables(object);
    if (tables.symbols == nullptr || tables.names == nullptr) return std::nullopt;
    for (const auto relocations : {tables.calls, tables.values})
        for (const ElfW(Rela) & relocation : relocations) {
            if (object.base + relocation.r_offset != slot) continue;
            const std::size_t number = ELF64_R_SYM(relocation.r_info);
            if (!base::arch::is_function_slot(ELF64_R_TYPE(relocation.r_info)) || number == 0) return std::nullopt;
            const ElfW(Sym)& symbol = tables.symbols[number];
            const bool is_own = symbol.st_shndx != SHN_UNDEF;
            if (is_own && !is_function(symbol)) return std::nullopt;
            return SlotFunction{tables.names + symbol.st_name, is_own ? object.base + symbol.st_value : 0};
        }
    return std::nullopt;
}

bool for_each_exported(const Loaded& object, bool (*visit)(void* argument, std::uintptr_t function), void* argument) {
    const Tables tables = read_tables(object);
    const auto count = count_symbols(tables);
    if (!count || tables.symbols == nullptr) return false;
    for (std::size_t number = 1; number < *count; ++number) {
        const ElfW(Sym)& symbol = tables.symbols[number];
        if (symbol.st_shndx == SHN_UNDEF) continue;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) return false;
        if (is_function(symbol) && !visit(argument, object.base + symbol.st_value)) return false;
    }
    return true;
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
