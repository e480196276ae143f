// SPDX-License-Identifier: Apache-2.0
//
// Counts the cache lines that move between threads, for code that GCC has compiled with
// -fsanitize=thread. This library takes the place of ThreadSanitizer's runtime: it gets every
// memory access and passes it to a model of the caches.
//
// The model: each thread is a processor with its own cache, which never evicts a line. A line is in
// any number of caches, or is modified in exactly one cache (the MSI protocol). A move is an access
// that must wait for another cache: a read of a line that the thread does not have (fetch), a write
// to a line that it does not have (fetch to write), or a write to a line that other caches have as
// well (upgrade). The first access to a line is not a move. The model has no prefetching and no
// cores with two threads, and the interleaving differs from that of an uninstrumented run. The
// model is exact in which accesses need which lines.
//
// When the process exits and runs its destructors, the counts are written to the file that
// LINES_OUTPUT names: a line of totals, then one line for each place in the code, as `count kind
// address`. lines.py finds the names of the places.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace {

constexpr unsigned kLineBits = 6;
constexpr unsigned kMostThreads = 64;

enum Kind : unsigned { kFetch, kFetchToWrite, kUpgrade, kKinds };
constexpr const char* kNames[kKinds] = {"fetch", "fetch-to-write", "upgrade"};

struct Line {
    std::uint64_t holders = 0; // a bit for each thread
    bool changed = false;      // in its only holder
};

struct Shard {
    std::mutex lock;
    std::unordered_map<std::uintptr_t, Line> lines;
    std::unordered_map<std::uintptr_t, std::array<std::uint64_t, kKinds>> places;
};

constexpr unsigned kShards = 1024;

// Made at the first access, which may come before any constructor of this library, and never
// destroyed: accesses go on until the end.
Shard* shards() {
    static Shard* const made = new Shard[kShards];
    return made;
}

unsigned thread_number() {
    static std::atomic<unsigned> threads{0};
    thread_local unsigned number = ~0u;
    if (number == ~0u) number = threads.fetch_add(1) % kMostThreads;
    return number;
}

void access_line(std::uintptr_t line, bool write, std::uintptr_t place) {
    Shard& shard = shards()[(line ^ line >> 10) % kShards];
    const std::uint64_t me = std::uint64_t{1} << thread_number();
    const std::lock_guard guard(shard.lock);
    Line& state = shard.lines[line];
    const bool have = (state.holders & me) != 0, alone = state.holders == me;
    if (state.holders != 0 && (write ? !alone : !have))
        ++shard.places[place][!write ? kFetch : have ? kUpgrade : kFetchToWrite];
    if (write) {
        state = {me, true};
    } else if (!have) {
        state = {state.holders | me, false};
    }
}

void access(const volatile void* address, std::size_t bytes, bool write, void* caller) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    for (std::uintptr_t line = first >> kLineBits; line <= (first + bytes - 1) >> kLineBits; ++line)
        access_line(line, write, reinterpret_cast<std::uintptr_t>(caller));
}

struct Report {
    ~Report() {
        const char* path = std::getenv("LINES_OUTPUT");
        FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
        if (file == nullptr) return;
        std::map<std::uintptr_t, std::array<std::uint64_t, kKinds>> all;
        std::array<std::uint64_t, kKinds> totals{};
        for (unsigned i = 0; i < kShards; ++i) {
            const std::lock_guard guard(shards()[i].lock);
            for (const auto& [place, counts] : shards()[i].places)
                for (unsigned kind = 0; kind < kKinds; ++kind) {
                    all[place][kind] += counts[kind];
                    totals[kind] += counts[kind];
                }
        }
        for (unsigned kind = 0; kind < kKinds; ++kind)
            std::fprintf(file, "total %s %llu\n", kNames[kind], static_cast<unsigned long long>(totals[kind]));
        for (const auto& [place, counts] : all)
            for (unsigned kind = 0; kind < kKinds; ++kind)
                if (counts[kind] != 0)
                    std::fprintf(file, "place %s %llu %#llx\n", kNames[kind],
                                 static_cast<unsigned long long>(counts[kind]), static_cast<unsigned long long>(place));
        if (FILE* maps = std::fopen("/proc/self/maps", "r")) { // for the places' names
            for (char text[512]; std::fgets(text, sizeof text, maps) != nullptr;)
                if (std::strstr(text, " r-xp ") != nullptr) std::fprintf(file, "map %s", text);
            std::fclose(maps);
        }
        std::fclose(file);
    }
};
const Report report;

} // namespace

#define CALLER __builtin_return_address(0)

// The functions that GCC calls, by the width of the access in bytes.
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** address, void*) { access(address, sizeof *address, true, CALLER); }
void __tsan_vptr_read(void** address) { access(address, sizeof *address, false, CALLER); }
void __tsan_read_range(void* address, std::size_t bytes) { access(address, bytes, false, CALLER); }
void __tsan_write_range(void* address, std::size_t bytes) { access(address, bytes, true, CALLER); }
void __tsan_atomic_thread_fence(int) { std::atomic_thread_fence(std::memory_order_seq_cst); }
void __tsan_atomic_signal_fence(int) { std::atomic_signal_fence(std::memory_order_seq_cst); }

#define PLAIN(WIDTH)                                                                                                   \
    void __tsan_read##WIDTH(void* address) { access(address, WIDTH, false, CALLER); }                                  \
    void __tsan_write##WIDTH(void* address) { access(address, WIDTH, true, CALLER); }                                  \
    void __tsan_unaligned_read##WIDTH(void* address) { access(address, WIDTH, false, CALLER); }                        \
    void __tsan_unaligned_write##WIDTH(void* address) { access(address, WIDTH, true, CALLER); }                        \
    void __tsan_volatile_read##WIDTH(void* address) { access(address, WIDTH, false, CALLER); }                         \
    void __tsan_volatile_write##WIDTH(void* address) { access(address, WIDTH, true, CALLER); }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

// A read-modify-write that fails to exchange asks for the line all the same.
#define MODIFY(BITS, TYPE, NAME)                                                                                       \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE* address, TYPE value, int) {                                       \
        access(address, sizeof(TYPE), true, CALLER);                                                                   \
        return __atomic_##NAME(address, value, __ATOMIC_SEQ_CST);                                                      \
    }

#define ATOMIC(BITS, TYPE)                                                                                             \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE* address, int) {                                               \
        access(address, sizeof(TYPE), false, CALLER);                                                                  \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                  \
    void __tsan_atomic##BITS##_store(volatile TYPE* address, TYPE value, int) {                                        \
        access(address, sizeof(TYPE), true, CALLER);                                                                   \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                  \
    TYPE __tsan_atomic##BITS##_exchange(volatile TYPE* address, TYPE value, int) {                                     \
        access(address, sizeof(TYPE), true, CALLER);                                                                   \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                                  \
    bool __tsan_atomic##BITS##_compare_exchange_strong(volatile TYPE* address, TYPE* expected, TYPE desired, int,      \
                                                       int) {                                                          \
        access(address, sizeof(TYPE), true, CALLER);                                                                   \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
    }                                                                                                                  \
    bool __tsan_atomic##BITS##_compare_exchange_weak(volatile TYPE* address, TYPE* expected, TYPE desired, int, int) { \
        access(address, sizeof(TYPE), true, CALLER);                                                                   \
        return __atomic_compare_exchange_n(address, expected, desired, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }                                                                                                                  \
    MODIFY(BITS, TYPE, fetch_add)                                                                                      \
    MODIFY(BITS, TYPE, fetch_sub)                                                                                      \
    MODIFY(BITS, TYPE, fetch_and)                                                                                      \
    MODIFY(BITS, TYPE, fetch_or)                                                                                       \
    MODIFY(BITS, TYPE, fetch_xor)

ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)
}
