// SPDX-License-Identifier: Apache-2.0
#include "processes/modules.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "processes/layout.h"

namespace teff::processes::modules {

namespace {

constexpr const char* kPrivate[] = {"libc.so",     "ld-linux", "linux-vdso",  "libm.so",  "libpthread",
                                    "libdl.so",    "librt.so", "libstdc++",   "libgcc_s", "libgfortran",
                                    "libquadmath", "libgomp",  "libopenblas", "libblas",  "liblapack",
                                    "libatlas",    "libmkl",   "libmvec",     "libnuma",  "libhwloc"};

struct Known {
    Span span;
    bool is_private;
};
constinit Known known[256] = {};
constinit unsigned known_count = 0;

const char* without_folder(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

bool is_private_name(const char* path) {
    if (path[0] == '\0') return false; // the program
    const char* const name = without_folder(path);
    for (const char* start : kPrivate)
        if (std::strncmp(name, start, std::strlen(start)) == 0) return true;
    return false;
}

std::uintptr_t page_end(std::uintptr_t address) { return (address + kPage - 1) & ~(kPage - 1); }

template <class Visit> void for_segments(const dl_phdr_info& info, unsigned flags, Visit visit) {
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info.dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & flags) == 0) continue;
        const std::uintptr_t start = info.dlpi_addr + header.p_vaddr;
        visit(Span{start & ~(kPage - 1), page_end(start + header.p_memsz)}, page_end(start + header.p_filesz));
    }
}

int remember(dl_phdr_info* info, std::size_t, void*) {
    const bool is_private = is_private_name(info->dlpi_name);
    for_segments(*info, PF_X, [&](Span span, std::uintptr_t) {
        if (known_count < sizeof known / sizeof known[0]) known[known_count++] = {span, is_private};
    });
    return 0;
}

// operator new and the functions that allocate exceptions are in libstdc++, which comes before this
// library in the loader's order. The functions are short.
constexpr std::size_t kLongestOperator = 160;
constinit std::uintptr_t operators[6];
constinit unsigned operator_count = 0;

void find_operators() {
    operator_count = 0;
    for (const char* name :
         {"_Znwm", "_ZnwmSt11align_val_t", "_ZnwmRKSt9nothrow_t", "_ZnwmSt11align_val_tRKSt9nothrow_t",
          "__cxa_allocate_exception", "__cxa_allocate_dependent_exception"})
        if (void* const found = dlsym(RTLD_DEFAULT, name))
            operators[operator_count++] = reinterpret_cast<std::uintptr_t>(found);
}

bool is_operator_new(std::uintptr_t address) {
    for (unsigned i = 0; i < operator_count; ++i)
        if (address - operators[i] < kLongestOperator) return true;
    return false;
}

const Known* find(std::uintptr_t address) {
    for (unsigned i = 0; i < known_count; ++i)
        if (address - known[i].span.start < known[i].span.end - known[i].span.start) return &known[i];
    return nullptr;
}

std::uintptr_t relro_end(const dl_phdr_info& info) {
    for (unsigned i = 0; i < info.dlpi_phnum; ++i)
        if (info.dlpi_phdr[i].p_type == PT_GNU_RELRO)
            return page_end(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr + info.dlpi_phdr[i].p_memsz);
    return 0;
}

int add_globals(dl_phdr_info* info, std::size_t, void* result) {
    if (is_private_name(info->dlpi_name)) return 0;
    const std::uintptr_t behind_relro = relro_end(*info);
    for_segments(*info, PF_W, [&](Span span, std::uintptr_t file_end) {
        if (behind_relro > span.start && behind_relro <= span.end) span.start = behind_relro;
        if (span.start < span.end) static_cast<List<Globals>*>(result)->push({span, file_end});
    });
    return 0;
}

} // namespace

// The modules are in the loader's order: the program comes first, and makes most calls.
bool is_private_code(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const Known* found = find(at);
    if (found == nullptr) {
        known_count = 0;
        dl_iterate_phdr(remember, nullptr);
        found = find(at);
    }
    return found != nullptr && found->is_private && !is_operator_new(at);
}

void find_globals(List<Globals>& globals) { dl_iterate_phdr(add_globals, &globals); }
void prepare() { find_operators(); }

const char* name_of(const void* code) {
    Dl_info info;
    return dladdr(code, &info) != 0 && info.dli_fname != nullptr ? without_folder(info.dli_fname) : "";
}

bool is_private(const char* path) { return is_private_name(path); }
bool counts_references(const char* path) {
    constexpr const char* kName = "libstdc++";
    return std::strncmp(without_folder(path), kName, std::strlen(kName)) == 0;
}

} // namespace teff::processes::modules
