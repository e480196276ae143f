// SPDX-License-Identifier: Apache-2.0
#include "preempt/objects.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

#include "base/report.h"
#include "preempt/code_ranges.h"
#include "preempt/hold.h"
#include "preempt/interpose.h"
#include "preempt/loaded.h"
#include "preempt/reach.h"
#include "preempt/slots.h"
#include "preempt/task_code.h"
#include "probe/trace/frame_rules.h"

namespace teff::preempt {

namespace {

// Files that are preemptible, or were refused with a word. Changed under the dynamic linker's lock.
struct Settled {
    std::uintptr_t base;
    Settled* next;
};
constinit Settled* all_settled = nullptr;

bool is_settled(std::uintptr_t base) {
    for (const Settled* settled = all_settled; settled != nullptr; settled = settled->next)
        if (settled->base == base) return true;
    return false;
}

// False: there is no memory.
bool settle(std::uintptr_t base) {
    auto* const settled = static_cast<Settled*>(std::malloc(sizeof(Settled)));
    if (settled == nullptr) return false;
    *settled = {base, all_settled};
    all_settled = settled;
    return true;
}

// Their locks are not counted, or they would interrupt themselves.
bool is_never_preemptible(const Loaded& object) {
    const void* const runtime = &all_settled;
    return object.contains(runtime) || object.contains(address_of(&std::malloc)) ||
           object.contains(address_of(&pthread_mutex_lock)) || object.contains(&_r_debug);
}

constexpr std::size_t kMostSections = 64;

bool make_preemptible(const Loaded& object) {
    std::array<CodeRange, kMostSections> room;
    const std::size_t count = find_code(object, room);
    if (patch_slots(object) && add_code_ranges({room.data(), count})) return true;
    base::warn("the code of %s is not preempted: the system does not let its calls be changed, or has no memory left",
               object.path);
    return false;
}

void refuse_program(const Loaded& program) {
    const char* const slash = std::strrchr(program.path, '/');
    const char* const name = slash != nullptr ? slash + 1 : program.path;
    base::warn("TEFF_PREEMPT has no effect on the code of %s: it has thread-local variables, which a task could find "
               "changed by the one that ran in its place; if no task minds, set TEFF_PREEMPT_OBJECTS=%s",
               program.path, name);
}

// What one look at all loaded files finds and is told.
struct Round {
    std::string_view names;
    const char* program; // path of the program's own file
    // Named files that are not preemptible yet; to be kept loaded before they become so.
    std::array<char*, 16> found{};
    std::size_t found_count = 0;
    bool kept = false; // those in `found` are

    bool is_among_found(const char* path) const {
        return std::any_of(found.begin(), found.begin() + found_count,
                           [path](const char* other) { return std::strcmp(other, path) == 0; });
    }
    void note(const char* path) {
        if (found_count == found.size()) return; // those beyond come at the next look
        char* const copy = strdup(path);
        if (copy != nullptr) found[found_count++] = copy;
    }
};

bool reaches_thread_locals(const Loaded& program) {
    return program.has_thread_locals() || uses_thread_locals_of_others(program);
}

void look_at_program(const Loaded& program, const Round& round) {
    if (is_never_preemptible(program) || !settle(program.base)) return;
    const bool shares = reaches_thread_locals(program);
    const bool needs_verdicts = shares && !is_named(round.names, program.path);
    // Before the code is preemptible.
    if (needs_verdicts && !(can_follow_code() && preempt_by_function(program))) return refuse_program(program);
    if (make_preemptible(program) && !shares) detail::in_program.store(true, std::memory_order_relaxed);
}

void look_at_library(const Loaded& library, Round& round) {
    if (!is_named(round.names, library.path)) return;
    if (is_never_preemptible(library)) {
        if (settle(library.base))
            base::warn("TEFF_PREEMPT_OBJECTS names %s, whose code is never preempted: it holds locks of its own",
                       library.path);
    } else if (!round.kept) {
        round.note(library.path);
    } else if (round.is_among_found(library.path) && settle(library.base)) {
        (void)make_preemptible(library);
    }
}

int look_at(dl_phdr_info* info, std::size_t, void* argument) {
    Round& round = *static_cast<Round*>(argument);
    const bool is_program = info->dlpi_name[0] == '\0'; // the dynamic linker's name for it; the vdso has one
    const Loaded object{
        is_program ? round.program : info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
    if (is_settled(object.base)) return 0;
    if (is_program) look_at_program(object, round);
    else look_at_library(object, round);
    return 0;
}

// How many files the process has ever loaded, at the last look. Relaxed: a thread that finds an old
// value looks once more.
constinit std::atomic<unsigned long long> loaded_at_last_look{0};

bool anything_is_new() {
    unsigned long long loaded = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* count) {
            *static_cast<unsigned long long*>(count) = info->dlpi_adds;
            return 1;
        },
        &loaded);
    return loaded_at_last_look.exchange(loaded, std::memory_order_relaxed) != loaded;
}

// Not under the dynamic linker's lock, which this takes itself, with another one before it.
void keep_loaded(Round& round) {
    for (std::size_t i = 0; i < round.found_count; ++i)
        (void)dlopen(round.found[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    round.kept = true;
}

struct Exemption {
    const void* function;
    bool done = false;
};

int exempt_if_here(dl_phdr_info* info, std::size_t, void* argument) {
    auto& wanted = *static_cast<Exemption*>(argument);
    const Loaded object{info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
    if (!object.contains(wanted.function)) return 0;
    probe::trace::FunctionCode code;
    (void)probe::trace::frame_rule(reinterpret_cast<std::uintptr_t>(wanted.function), object.frame_tables(), &code);
    wanted.done = code.begin != 0 && exempt_code({code.begin, code.end});
    return 1;
}

} // namespace

bool program_has_thread_locals() {
    bool has = false;
    const auto look = [](dl_phdr_info* info, std::size_t, void* found) {
        const Loaded program{info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}};
        *static_cast<bool*>(found) = reaches_thread_locals(program);
        return 1; // the program is the first
    };
    dl_iterate_phdr(look, &has);
    return has;
}

CodeRange program_file() {
    CodeRange file{UINTPTR_MAX, 0};
    const auto look = [](dl_phdr_info* info, std::size_t, void* found) {
        auto& whole = *static_cast<CodeRange*>(found);
        for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
            if (segment.p_type != PT_LOAD) continue;
            const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
            whole = {std::min(whole.begin, begin), std::max(whole.end, begin + segment.p_memsz)};
        }
        return 1; // the program is the first
    };
    dl_iterate_phdr(look, &file);
    return file;
}

bool exempt_function(const void* function) {
    Exemption wanted{function};
    dl_iterate_phdr(exempt_if_here, &wanted);
    return wanted.done;
}

bool is_named(std::string_view names, std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view last{path.data() + start, path.size() - start};
    while (!names.empty()) {
        const std::size_t comma = std::min(names.find(','), names.size());
        const std::string_view name{names.data(), comma};
        if (name == path || name == last) return true;
        names.remove_prefix(std::min(comma + 1, names.size()));
    }
    return false;
}

void learn_objects(std::string_view names) {
    if (!anything_is_new()) return;
    find_real_functions();
    char* const program = realpath("/proc/self/exe", nullptr);
    Round round{.names = names, .program = program != nullptr ? program : ""};
    dl_iterate_phdr(look_at, &round);
    if (round.found_count != 0) {
        keep_loaded(round);
        dl_iterate_phdr(look_at, &round);
    }
    std::for_each(round.found.begin(), round.found.begin() + round.found_count, [](char* path) { std::free(path); });
    std::free(program);
}

} // namespace teff::preempt
