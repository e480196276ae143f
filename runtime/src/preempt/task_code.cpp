// SPDX-License-Identifier: Apache-2.0
#include "preempt/task_code.h"

#include <cstdlib>
#include <cstring>

#include "base/report.h"
#include "preempt/reach.h"

namespace teff::preempt {

namespace {

enum class Verdict : std::uint8_t { being_looked_at, free, bound };

struct Entry {
    std::atomic<const void*> function{nullptr};
    std::atomic<Verdict> verdict{Verdict::being_looked_at};
};
constexpr std::size_t kEntries = 1024, kMostTries = 64;
constinit Entry entries[kEntries];

constinit Loaded program{};
constinit std::atomic<bool> said{false};

const char* name_of(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

const char* reason_of(Reach reach) {
    return reach == Reach::thread_local_variable ? "reaches a thread-local variable"
                                                 : "cannot be followed, so it might reach a thread-local variable";
}

// Once: most users need to know that there is such a function, and the way out is the same for all.
void tell_of_bound(std::uintptr_t function, const Finding& finding) {
    if (said.exchange(true, std::memory_order_relaxed)) return;
    const char* const name = name_of(program.path);
    const std::uintptr_t at = finding.at != 0 ? finding.at : function;
    base::warn("TEFF_PREEMPT has no effect on some tasks of %s: the code at %s+0x%zx %s, which a task could find "
               "changed by the one that ran in its place; if no task minds, set TEFF_PREEMPT_OBJECTS=%s",
               name, name, at - program.base, reason_of(finding.reach), name);
}

Verdict look_at(const void* function) {
    const Finding finding = program.contains(function) ? find_reach(program, function) : Finding{Reach::unknown, 0};
    if (finding.reach == Reach::no_thread_local) return Verdict::free;
    if (program.contains(function)) tell_of_bound(reinterpret_cast<std::uintptr_t>(function), finding);
    return Verdict::bound;
}

std::size_t first_entry(const void* function) {
    constexpr unsigned kUnused = 64 - 10;
    static_assert(kEntries == std::size_t{1} << (64 - kUnused));
    return (reinterpret_cast<std::uintptr_t>(function) * 0x9e37'79b9'7f4a'7c15u) >> kUnused;
}

} // namespace

bool preempt_by_function(const Loaded& loaded) {
    const char* const path = strdup(loaded.path);
    if (path == nullptr) return false;
    program = loaded;
    program.path = path;
    detail::by_function.store(true, std::memory_order_relaxed);
    return true;
}

bool task_is_free(const void* function) {
    for (std::size_t tries = 0, at = first_entry(function); tries < kMostTries; ++tries, at = (at + 1) % kEntries) {
        Entry& entry = entries[at];
        const void* found = entry.function.load(std::memory_order_relaxed);
        if (found == nullptr && entry.function.compare_exchange_strong(found, function, std::memory_order_relaxed)) {
            const Verdict verdict = look_at(function);
            entry.verdict.store(verdict, std::memory_order_release); // [verdict-1]
            return verdict == Verdict::free;
        }
        if (found == function) return entry.verdict.load(std::memory_order_acquire) == Verdict::free; // [verdict-1]
    }
    return false;
}

} // namespace teff::preempt
