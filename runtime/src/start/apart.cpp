// SPDX-License-Identifier: Apache-2.0
#include "start/apart.h"

#include <algorithm>
#include <alloca.h>
#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace teff::start {

namespace {

constexpr std::size_t kHeapStep = std::size_t{1} << 30; // the system refuses more than it has memory
constexpr int kHeapSteps = 64;
constexpr std::size_t kMappings = std::size_t{1} << 40;
constexpr std::size_t kMostStack = std::size_t{1} << 20, kPartOfStack = 8;

// Returns RLIM_INFINITY if there is no limit.
rlim_t limit_of(__rlimit_resource resource) {
    rlimit limit;
    return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : 0;
}

std::uintptr_t round_up(std::uintptr_t address, std::uintptr_t page) { return (address + page - 1) / page * page; }

// Moves the program break, behind which the C library allocates. The memory is given back at once.
void leave_heap_free(std::uintptr_t page) {
    if (limit_of(RLIMIT_DATA) != RLIM_INFINITY) return;
    const auto begin = round_up(reinterpret_cast<std::uintptr_t>(sbrk(0)), page);
    for (int i = 0; i < kHeapSteps && sbrk(kHeapStep) != reinterpret_cast<void*>(-1); ++i)
        continue;
    const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / page * page;
    if (end > begin) munmap(reinterpret_cast<void*>(begin), end - begin);
}

// Where the system would put the next mapping. Memory that cannot be used costs nothing.
void leave_mappings_free() {
    if (limit_of(RLIMIT_AS) != RLIM_INFINITY) return;
    mmap(nullptr, kMappings, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

} // namespace

void leave_memory_free() {
    leave_heap_free(static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)));
    leave_mappings_free();
}

int call_below_free_stack(int (*serve)()) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto bytes = std::min<std::size_t>(kMostStack, limit_of(RLIMIT_STACK) / kPartOfStack);
    if (bytes < 4 * page) return serve();
    auto* const lowest = static_cast<volatile char*>(alloca(bytes));
    *lowest = 0; // the stack grows to here
    void* const first = reinterpret_cast<void*>(round_up(reinterpret_cast<std::uintptr_t>(lowest), page) + page);
    const std::size_t free = bytes - 3 * page;
    mprotect(first, free, PROT_NONE);
    const int status = serve();
    mprotect(first, free, PROT_READ | PROT_WRITE);
    return status;
}

} // namespace teff::start
