// SPDX-License-Identifier: Apache-2.0
#include "preempt/libraries.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <span>
#include <string_view>

#include "base/arch/arch.h"
#include "preempt/code_ranges.h"
#include "preempt/interpose.h"
#include "preempt/loaded.h"
#include "probe/trace/frame_rules.h"

namespace teff::preempt {

namespace {

using probe::trace::FrameRule;

enum class Diverted : std::uint8_t { listed, all, all_but_interposed, all_but_calling_back };

struct Library {
    CodeRange code;
    const void* tables; // .eh_frame_hdr
    Diverted functions;
};

constexpr std::size_t kMostLibraries = 8, kMostFunctions = 192;
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
constinit Functions diverted_functions;
constinit Functions interposing_functions;
constinit Functions calling_back_functions;

constexpr const char* kPure[] = {
    "memcpy",  "memmove", "memset",  "memcmp",  "memchr",  "memrchr",    "mempcpy",    "memmem",      "rawmemchr",
    "memccpy", "strlen",  "strnlen", "strcmp",  "strncmp", "strchr",     "strrchr",    "strchrnul",   "strcpy",
    "strncpy", "stpcpy",  "stpncpy", "strcat",  "strncat", "strstr",     "strspn",     "strcspn",     "strpbrk",
    "wcslen",  "wmemset", "wcschr",  "wmemcmp", "bcmp",    "strcasestr", "strcasecmp", "strncasecmp",
};
constexpr const char* kDiverted[] = {
    "malloc",
    "free",
    "calloc",
    "realloc",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "malloc_usable_size",
    "snprintf",
    "sprintf",
    "vsnprintf",
    "vsprintf",
    "__snprintf_chk",
    "__sprintf_chk",
    "__vsnprintf_chk",
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "__printf_chk",
    "__fprintf_chk",
    "__vfprintf_chk",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "fwrite",
    "fread",
    "fgets",
    "fgetc",
    "getc",
    "getline",
    "fflush",
    "fopen",
    "fclose",
    "fseek",
    "ftell",
    "sscanf",
    "__isoc99_sscanf",
    "strtod",
    "strtof",
    "strtold",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "atoi",
    "atol",
    "atof",
    "strdup",
    "strndup",
    "strerror_r",
    "strcoll",
    "strxfrm",
    "strtok_r",
    "toupper",
    "tolower",
    "isalpha",
    "isdigit",
    "isspace",
    "getenv",
    "time",
    "clock",
    "clock_gettime",
    "gettimeofday",
    "clock_getres",
    "localtime_r",
    "gmtime_r",
    "mktime",
    "strftime",
    "rand",
    "rand_r",
    "random",
    "random_r",
    "drand48",
    "lrand48",
    "erand48",
    "nrand48",
    "getpid",
    "gettid",
    "getuid",
    "sched_yield",
    "sched_getcpu",
    "getcpu",
    "pthread_self",
    "sysconf",
    "read",
    "write",
    "pread",
    "pwrite",
    "pread64",
    "pwrite64",
    "open",
    "open64",
    "close",
    "lseek",
    "lseek64",
    "stat",
    "fstat",
    "lstat",
    "stat64",
    "fstat64",
    "access",
    "unlink",
    "mmap",
    "mmap64",
    "munmap",
    "mprotect",
    "madvise",
    "getrusage",
    "send",
    "recv",
    "accept",
    "connect",
    "syscall",
};

// The driver routines of LAPACK that call a function of the program, which selects eigenvalues.
// Each exists for four types, and for callers in Fortran and in C.
constexpr const char* kSelecting[] = {"gees", "geesx", "gges", "gges3", "ggesx"};
constexpr const char* kSelectingNames[] = {"%c%s_", "LAPACKE_%c%s", "LAPACKE_%c%s_work"};

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

// Returns how much of a file is diverted; nothing if none of it is.
std::optional<Diverted> diverted_of(const Loaded& object) {
    const std::string_view name = file_name(object.path);
    if (object.path[0] == '\0') return std::nullopt; // the program
    if (object.contains(reinterpret_cast<const void*>(&learn_libraries))) return Diverted::all_but_interposed;
    if (begins_with(name, "libc.so.")) return Diverted::listed;
    if (begins_with(name, "libm.so.") || begins_with(name, "linux-vdso")) return Diverted::all;
    if (begins_with(name, "libopenblas") || begins_with(name, "libblas.so.")) return Diverted::all_but_calling_back;
    return std::nullopt;
}

// The dynamic linker may not unload the file. The kernel's own file stays in any case.
void keep_loaded(const char* path) {
    if (!begins_with(path, "linux-vdso")) (void)dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

struct Found {
    std::array<char[512], kMostLibraries> paths;
    std::size_t count = 0;
};

int find_library(dl_phdr_info* info, std::size_t, void* argument) {
    Found& found = *static_cast<Found*>(argument);
    const Loaded object{info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
    const void* const tables = object.frame_tables();
    const auto functions = diverted_of(object);
    char(&path)[512] = found.paths[found.count];
    if (tables == nullptr || !functions || std::strlen(info->dlpi_name) >= sizeof path) return 0;
    for (const ElfW(Phdr) & segment : object.segments) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || library_count == kMostLibraries) continue;
        const std::uintptr_t begin = object.base + segment.p_vaddr;
        libraries[library_count++] = {
            .code = {begin, begin + segment.p_memsz}, .tables = tables, .functions = *functions};
    }
    std::strcpy(path, info->dlpi_name);
    return ++found.count == kMostLibraries;
}

void add_function(std::uintptr_t address, Functions& functions) {
    const Library* const library = address != 0 ? library_at(address) : nullptr;
    if (library == nullptr || functions.count == kMostFunctions) return;
    probe::trace::FunctionCode function;
    (void)probe::trace::frame_rule(address, library->tables, &function);
    if (function.begin != 0 && !functions.has(function.begin)) functions.begins[functions.count++] = function.begin;
}

void find_functions(std::span<const char* const> names, Functions& functions) {
    for (const char* const name : names)
        add_function(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, name)), functions);
}

void find_calling_back() {
    for (const char* const routine : kSelecting)
        for (const char* const pattern : kSelectingNames)
            for (const char type : {'s', 'd', 'c', 'z'}) {
                char name[32];
                (void)std::snprintf(name, sizeof name, pattern, type, routine);
                const char* const names[] = {name};
                find_functions(names, calling_back_functions);
            }
}

bool may_be_diverted(const Library& library, std::uintptr_t begin) {
    switch (library.functions) {
    case Diverted::listed:
        return diverted_functions.has(begin) || pure_functions.has(begin);
    case Diverted::all:
        return true;
    case Diverted::all_but_interposed:
        return begin != 0 && !interposing_functions.has(begin);
    case Diverted::all_but_calling_back:
        return begin != 0 && !calling_back_functions.has(begin);
    }
    return false;
}

// The part of the stack that may be read.
struct StackPart {
    std::uintptr_t begin, end;

    std::optional<std::uintptr_t> word_at(std::uintptr_t address) const {
        if (address < begin || address > end - sizeof(std::uintptr_t) || address % sizeof(std::uintptr_t) != 0)
            return std::nullopt;
        return *reinterpret_cast<const std::uintptr_t*>(address);
    }
};

std::optional<std::uintptr_t> caller_stack_pointer(const FrameRule& rule, const Registers& at, const StackPart& stack) {
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
                                                   const StackPart& stack) {
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
std::optional<Registers> caller_of(const Registers& at, const FrameRule& rule, const StackPart& stack) {
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
        keep_loaded(found.paths[i]);
    find_functions(kPure, pure_functions);
    find_functions(kDiverted, diverted_functions);
    find_calling_back();
    for (const auto& functions :
         {interposed_locks(), interposed_callbacks(), interposed_sleeps(), interposed_signals()})
        for (const Interposed& interposed : functions)
            add_function(reinterpret_cast<std::uintptr_t>(interposed.function), interposing_functions);
}

std::optional<WayBack> way_back(const Registers& at, const void* stack_end) {
    constexpr int kMostFrames = 48;
    const StackPart stack{at.stack_pointer, reinterpret_cast<std::uintptr_t>(stack_end)};
    if (stack.end <= stack.begin) return std::nullopt;
    Registers here = at;
    std::uintptr_t address = at.instruction;
    bool is_pure = true, in_system_call = false;
    for (int frames = 0; frames < kMostFrames; ++frames) {
        const Library* const library = library_at(address);
        if (library == nullptr) return std::nullopt;
        probe::trace::FunctionCode function;
        const FrameRule rule = probe::trace::frame_rule(address, library->tables, &function);
        const auto caller = caller_of(here, rule, stack);
        if (!caller) return std::nullopt;
        if (frames == 0) in_system_call = base::arch::is_in_system_call(address);
        is_pure = is_pure && pure_functions.has(function.begin);
        if (is_preemptible(reinterpret_cast<const void*>(caller->instruction))) {
            if (!may_be_diverted(*library, function.begin) || !base::arch::follows_call(caller->instruction))
                return std::nullopt;
            return WayBack{reinterpret_cast<std::uintptr_t*>(caller->stack_pointer) - 1, is_pure, in_system_call};
        }
        here = *caller;
        address = caller->instruction - 1;
    }
    return std::nullopt;
}

} // namespace teff::preempt
