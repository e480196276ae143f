// SPDX-License-Identifier: Apache-2.0
#include "preempt/libraries.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <span>
#include <string_view>

#include "preempt/code_ranges.h"
#include "preempt/loaded.h"
#include "probe/trace/frame_rules.h"

namespace teff::preempt {

namespace {

using probe::trace::FrameRule;

struct Library {
    CodeRange code;
    const void* tables; // .eh_frame_hdr
    bool is_pure;
    bool is_short; // its functions take no long time outside of the kernel
};

constexpr std::size_t kMostLibraries = 64, kMostFunctions = 64;
constinit std::array<Library, kMostLibraries> libraries{};
constinit std::size_t library_count = 0;

// The beginnings of functions.
struct Functions {
    std::array<std::uintptr_t, kMostFunctions> begins{};
    std::size_t count = 0;

    bool has(std::uintptr_t begin) const {
        return std::find(begins.begin(), begins.begin() + count, begin) != begins.begin() + count;
    }
};
constinit Functions pure_functions;
constinit Functions not_diverted;

constexpr const char* kPure[] = {
    "memcpy",  "memmove", "memset",  "memcmp", "memchr",     "memrchr",    "mempcpy",     "memmem",    "rawmemchr",
    "memccpy", "strlen",  "strnlen", "strcmp", "strncmp",    "strchr",     "strrchr",     "strchrnul", "strcpy",
    "strncpy", "stpcpy",  "stpncpy", "strcat", "strncat",    "strstr",     "strspn",      "strcspn",   "strpbrk",
    "wcslen",  "wmemset", "wcschr",  "bcmp",   "strcasestr", "strcasecmp", "strncasecmp", "wmemcmp",
};
constexpr const char* kNotDiverted[] = {
    "setjmp",       "_setjmp",    "__sigsetjmp",     "getcontext", "setcontext",    "swapcontext",  "makecontext",
    "vfork",        "longjmp",    "_longjmp",        "siglongjmp", "__longjmp_chk", "pthread_exit", "thrd_exit",
    "exit",         "quick_exit", "qsort",           "qsort_r",    "bsearch",       "lfind",        "lsearch",
    "tsearch",      "tdelete",    "twalk",           "twalk_r",    "tdestroy",      "ftw",          "ftw64",
    "nftw",         "nftw64",     "scandir",         "scandir64",  "scandirat",     "glob",         "glob64",
    "pthread_once", "call_once",  "dl_iterate_phdr", "dlopen",     "dlclose",       "dlmopen",      "dlsym",
    "dlvsym",       "dlinfo",     "mcount",          "_mcount",    "__fentry__",    "backtrace",
};

const Library* library_at(std::uintptr_t address) {
    for (std::size_t i = 0; i < library_count; ++i)
        if (libraries[i].code.begin <= address && address < libraries[i].code.end) return &libraries[i];
    return nullptr;
}

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : std::string_view(path.data() + slash + 1, path.size() - slash - 1);
}

bool begins_with(std::string_view text, std::string_view start) {
    return text.size() >= start.size() && std::string_view(text.data(), start.size()) == start;
}

// Exceptions may pass through the frames of such a file.
bool is_of_cxx(std::string_view name) {
    return begins_with(name, "libstdc++") || begins_with(name, "libgcc_s") || begins_with(name, "libc++");
}

bool needs_cxx(const Loaded& object) {
    const char* names = nullptr;
    for (const ElfW(Dyn)* entry = object.dynamic(); entry != nullptr && entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB)
            names =
                reinterpret_cast<const char*>(entry->d_un.d_ptr + (entry->d_un.d_ptr < object.base ? object.base : 0));
    if (names == nullptr) return false;
    for (const ElfW(Dyn)* entry = object.dynamic(); entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_NEEDED && is_of_cxx(names + entry->d_un.d_val)) return true;
    return false;
}

const void* tables_of(const Loaded& object) {
    for (const ElfW(Phdr) & segment : object.segments)
        if (segment.p_type == PT_GNU_EH_FRAME) return reinterpret_cast<const void*>(object.base + segment.p_vaddr);
    return nullptr;
}

// The dynamic linker may not unload the file. The kernel's file and the dynamic linker's own stay
// in any case.
bool stays_loaded(const char* path) {
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr || begins_with(path, "linux-vdso");
}

struct Found {
    std::array<char[512], kMostLibraries> paths;
    std::array<Library, kMostLibraries> libraries;
    std::size_t count = 0;
};

int find_library(dl_phdr_info* info, std::size_t, void* argument) {
    Found& found = *static_cast<Found*>(argument);
    const Loaded object{info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
    const std::string_view name = file_name(info->dlpi_name);
    const void* const tables = tables_of(object);
    const bool is_program = info->dlpi_name[0] == '\0';
    const bool is_own = object.contains(reinterpret_cast<const void*>(&learn_libraries));
    if (is_program || tables == nullptr || is_of_cxx(name) || (!is_own && needs_cxx(object))) return 0;
    for (const ElfW(Phdr) & segment : object.segments) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || found.count == kMostLibraries) continue;
        char(&path)[512] = found.paths[found.count];
        if (std::strlen(info->dlpi_name) >= sizeof path) continue;
        std::strcpy(path, info->dlpi_name);
        const std::uintptr_t begin = object.base + segment.p_vaddr;
        found.libraries[found.count++] = {.code = {begin, begin + segment.p_memsz},
                                          .tables = tables,
                                          .is_pure = begins_with(name, "libm.so.") || begins_with(name, "libmvec.so."),
                                          .is_short = is_own || begins_with(name, "libc.so.") ||
                                                      begins_with(name, "linux-vdso") || begins_with(name, "ld-linux")};
    }
    return 0;
}

void find_functions(std::span<const char* const> names, Functions& functions) {
    for (const char* const name : names) {
        const auto address = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, name));
        const Library* const library = address != 0 ? library_at(address) : nullptr;
        if (library == nullptr) continue;
        std::uintptr_t begin = 0;
        (void)probe::trace::frame_rule(address, library->tables, &begin);
        if (begin != 0 && !functions.has(begin)) functions.begins[functions.count++] = begin;
    }
}

// Returns true if a call instruction ends at this address. All bytes before it are code.
bool follows_call(std::uintptr_t address) {
    const auto* const end = reinterpret_cast<const std::uint8_t*>(address);
    if (end[-5] == 0xe8) return true;
    for (int bytes = 2; bytes <= 7; ++bytes)
        if (end[-bytes] == 0xff && (end[1 - bytes] >> 3 & 7) == 2) return true;
    return false;
}

// Returns true if the thread stands at or behind an instruction that makes a system call: a signal
// ends such a call, or interrupts it so that it begins again.
bool is_in_system_call(std::uintptr_t address) {
    const auto* const at = reinterpret_cast<const std::uint8_t*>(address);
    const auto is_call = [](const std::uint8_t* code) { return code[0] == 0x0f && code[1] == 0x05; };
    return is_call(at) || is_call(at - 2);
}

// The part of the stack that may be read.
struct Stack {
    std::uintptr_t begin, end;

    std::optional<std::uintptr_t> word_at(std::uintptr_t address) const {
        if (address < begin || address > end - sizeof(std::uintptr_t) || address % sizeof(std::uintptr_t) != 0)
            return std::nullopt;
        return *reinterpret_cast<const std::uintptr_t*>(address);
    }
};

std::optional<std::uintptr_t> caller_stack_pointer(const FrameRule& rule, const Registers& at, const Stack& stack) {
    const auto offset = static_cast<std::uintptr_t>(std::intptr_t{rule.cfa});
    switch (rule.cfa_is) {
    case FrameRule::Cfa::kOfStack:
        return at.stack_pointer + offset;
    case FrameRule::Cfa::kOfFrame:
        return at.frame_pointer + offset;
    case FrameRule::Cfa::kAtFrame:
        return stack.word_at(at.frame_pointer + offset);
    case FrameRule::Cfa::kUnknown:
    case FrameRule::Cfa::kOutermost:
        break;
    }
    return std::nullopt;
}

std::optional<std::uintptr_t> caller_frame_pointer(const FrameRule& rule, const Registers& at, std::uintptr_t cfa,
                                                   const Stack& stack) {
    const auto offset = static_cast<std::uintptr_t>(std::intptr_t{rule.saved});
    switch (rule.saved_is) {
    case FrameRule::Saved::kInRegister:
        return at.frame_pointer;
    case FrameRule::Saved::kAtCfa:
        return stack.word_at(cfa + offset);
    case FrameRule::Saved::kAtFrame:
        return stack.word_at(at.frame_pointer + offset);
    }
    return std::nullopt;
}

// Returns the registers of the caller. `address`: an address in the function, on or behind which
// the thread stands.
std::optional<Registers> caller_of(const Registers& at, const FrameRule& rule, const Stack& stack) {
    const auto cfa = caller_stack_pointer(rule, at, stack);
    if (!cfa || *cfa <= at.stack_pointer) return std::nullopt;
    const auto back = stack.word_at(*cfa - sizeof(std::uintptr_t));
    const auto frame = caller_frame_pointer(rule, at, *cfa, stack);
    if (!back || !frame) return std::nullopt;
    return Registers{*back, *cfa, *frame};
}

} // namespace

void learn_libraries() {
    static constinit Found found{};
    dl_iterate_phdr(find_library, &found);
    for (std::size_t i = 0; i < found.count; ++i)
        if (stays_loaded(found.paths[i])) libraries[library_count++] = found.libraries[i];
    find_functions(kPure, pure_functions);
    find_functions(kNotDiverted, not_diverted);
}

std::optional<WayBack> way_back(const Registers& at, const void* stack_end) {
    constexpr int kMostFrames = 48;
    const Stack stack{at.stack_pointer, reinterpret_cast<std::uintptr_t>(stack_end)};
    if (stack.end <= stack.begin) return std::nullopt;
    Registers here = at;
    std::uintptr_t address = at.instruction;
    bool is_pure = true, is_short = true;
    for (int frames = 0; frames < kMostFrames; ++frames) {
        const Library* const library = library_at(address);
        if (library == nullptr) return std::nullopt;
        std::uintptr_t begin = 0;
        const FrameRule rule = probe::trace::frame_rule(address, library->tables, &begin);
        const auto caller = caller_of(here, rule, stack);
        if (!caller) return std::nullopt;
        is_short = is_short && library->is_short && (frames != 0 || !is_in_system_call(address));
        is_pure = is_pure && (library->is_pure || pure_functions.has(begin));
        if (is_preemptible(reinterpret_cast<const void*>(caller->instruction))) {
            if (not_diverted.has(begin) || !follows_call(caller->instruction)) return std::nullopt;
            return WayBack{reinterpret_cast<std::uintptr_t*>(caller->stack_pointer) - 1, is_pure, is_short};
        }
        here = *caller;
        address = caller->instruction - 1;
    }
    return std::nullopt;
}

} // namespace teff::preempt
