// SPDX-License-Identifier: Apache-2.0
//
// libteff-distribute.so: stands in front of the C library's malloc and mmap in programs that cannot
// be changed, and spreads the pages of their big allocations over the nodes
// (docs/distribution.md).
//
// The memory stays the C library's: each function calls the one that it stands in front of, and
// only then asks the kernel, for a block that has a mapping of its own (block.h). So free and
// malloc_usable_size need nobody in front of them, and what is freed and used again elsewhere
// carries no policy. That big blocks get such a mapping is glibc's M_MMAP_THRESHOLD, which is set
// once, before main; glibc would raise it when one is freed. Where the next malloc is not glibc's,
// only mmap is looked at. Rejected: an allocator of our own, whose blocks every free of the program
// would have to tell from others; and libgomp.so.1 itself, which would answer for OpenMP in every
// program that is started from here.
//
// All that is decided once is decided by the constructor, from the environment that the process
// was started with. After it there is nothing left to begin: an allocation makes system calls past
// the C library, and adds to counters (placer.h). So it may be made in a signal handler, in a
// forked child, and beside a setenv, and does not meet functions of the program that bear a name
// of the C library's. Nothing here allocates memory or takes a lock. errno stays. Only a thread
// that is about to restrict the process waits, for a while, until others have placed their memory
// (placements.h).
//
// The functions are called before the constructor, too, by the dynamic linker and by constructors
// of other libraries, and while this library looks for what it stands in front of. Those calls are
// passed on. The first of them comes before there is a second thread: pthread_create allocates.
//
// [distribute-1] A bound is stored (release) when all is known that a call above it needs, and the
//                function in front of which a call below it stands; the call loads it (acquire).
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <linux/prctl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <utility>

#include "abi/export.h"
#include "base/standard_error.h"
#include "base/system_call.h"
#include "distribute/block.h"
#include "distribute/next.h"
#include "distribute/placements.h"
#include "distribute/placer.h"
#include "distribute/process.h"
#include "distribute/variables.h"
#include "distribute/words.h"

namespace {

using namespace teff;
using distribute::Outcome;

constinit distribute::Next next = {};

constexpr std::size_t kNobody = SIZE_MAX;

// Allocations below these go on at once. 0: not even `next` is known.
constinit std::atomic<std::size_t> blocks_from{0}, mappings_from{0};

// Written by the constructor, before `look_at`.
constinit distribute::Placer placer(mem::real_system, mem::thread_nodes, distribute::mappings_of_process);
constinit bool gives_pages_back = true;
constinit long filter_at_start = 0;

// In this thread: a signal handler does not wait for what it has interrupted.
constinit thread_local int own_placements [[gnu::tls_model("initial-exec")]] = 0;

// While it lives, the kernel may be asked to place memory.
class Placement {
  public:
    Placement() : allowed_(distribute::placements.begin()) { own_placements += allowed_; }
    ~Placement() {
        if (!allowed_) return;
        --own_placements;
        distribute::placements.end();
    }
    Placement(const Placement&) = delete;
    Placement& operator=(const Placement&) = delete;

    bool is_allowed() const { return allowed_; }

  private:
    bool allowed_;
};

bool is_small_block(std::size_t bytes) {
    return bytes < blocks_from.load(std::memory_order_acquire); // [distribute-1]
}
bool is_small_mapping(std::size_t bytes) {
    return bytes < mappings_from.load(std::memory_order_acquire); // [distribute-1]
}

void look_at(std::size_t blocks, std::size_t mappings) {
    mappings_from.store(mappings, std::memory_order_release); // [distribute-1]
    blocks_from.store(blocks, std::memory_order_release);     // [distribute-1]
}

// False: a call from within the dynamic linker's search.
[[gnu::cold, gnu::noinline]] bool find_next() {
    static constinit bool searching = false;
    if (std::exchange(searching, true)) return false;
    find_all(next);
    look_at(kNobody, kNobody);
    return true;
}
bool knows_next() { return blocks_from.load(std::memory_order_acquire) != 0 || find_next(); } // [distribute-1]

// The kind of the thread's filter for system calls.
long filter() { return base::call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0); }

// In the lifetime of a Placement.
bool place(mem::Range range) {
    const Outcome outcome = filter() == filter_at_start ? placer.place(range) : Outcome::never;
    if (outcome == Outcome::never) look_at(kNobody, kNobody);
    return outcome == Outcome::placed;
}

// The C library has touched the first page, and with it maybe a huge one: pages that are there
// already stay where they are. Nobody else knows the block, and it holds nothing, or zeros: its
// pages go, and come back, zero, where the policy has them. Not huge pages by name, which might not
// come back, nor what the C library was told to fill.
void give_pages_back(void* block, mem::Range pages) {
    if (!gives_pages_back) return;
    distribute::BlockHeader* const header = distribute::header_of(block);
    const distribute::BlockHeader kept = *header;
    (void)base::call(SYS_madvise, pages.begin, pages.bytes, MADV_DONTNEED);
    if (header >= pages.begin) *header = kept;
}

void spread_block(void* block, std::size_t bytes) {
    const auto pages = distribute::own_pages(block, bytes);
    if (!pages) return;
    const Placement placement;
    if (placement.is_allowed() && place(*pages)) give_pages_back(block, *pages);
}

void spread_pages(mem::Range pages) {
    const Placement placement;
    if (placement.is_allowed()) (void)place(pages);
}

[[gnu::cold]] void* no_memory() {
    errno = ENOMEM;
    return nullptr;
}

// A block of so many bytes from `allocate`, which calls the next function.
template <class Allocate> [[gnu::noinline]] void* big_block(std::size_t bytes, Allocate allocate) {
    if (!knows_next()) return no_memory();
    void* const block = allocate();
    if (block != nullptr && !is_small_block(bytes)) spread_block(block, bytes);
    return block;
}

// A block that has a big mapping keeps it when it grows, and the policy with it. One that gets its
// mapping now has been copied there: those pages stay where they are, the others are spread.
[[gnu::noinline]] void* big_realloc(void* block, std::size_t bytes) {
    if (block == nullptr) return big_block(bytes, [=] { return next.realloc(nullptr, bytes); });
    if (!knows_next()) return no_memory();
    const std::size_t from = blocks_from.load(std::memory_order_acquire); // [distribute-1]
    const bool stays = bytes < from || from == kNobody || distribute::own_pages(block, from);
    void* const grown = next.realloc(block, bytes);
    if (grown == nullptr || stays) return grown;
    if (const auto pages = distribute::own_pages(grown, bytes)) spread_pages(*pages);
    return grown;
}

int big_posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
    int error = ENOMEM;
    void* block = nullptr;
    (void)big_block(bytes, [&] {
        error = next.posix_memalign(&block, alignment, bytes);
        return error == 0 ? block : nullptr;
    });
    if (error == 0) *result = block;
    return error;
}

// Memory, and the program's own: what is a stack, a reservation, of huge pages by name or has its
// pages at once lies where the program or the kernel wants it. So does what is mapped at a fixed
// address: there the program lays out neighbours, which it may move as one (mremap), and that fails
// where their policies differ.
bool is_plain_memory(int protection, int flags) {
    constexpr int kOther =
        MAP_STACK | MAP_GROWSDOWN | MAP_HUGETLB | MAP_POPULATE | MAP_LOCKED | MAP_FIXED | MAP_FIXED_NOREPLACE;
    return (flags & MAP_ANONYMOUS) != 0 && (flags & kOther) == 0 && (protection & PROT_WRITE) != 0;
}

void* map_past_the_library(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    const long memory = base::call(SYS_mmap, hint, bytes, protection, flags, file, offset);
    if (!base::is_error(memory)) return reinterpret_cast<void*>(memory);
    errno = static_cast<int>(-memory);
    return MAP_FAILED;
}

[[gnu::noinline]] void* big_mapping(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    if (!knows_next()) return map_past_the_library(hint, bytes, protection, flags, file, offset);
    void* const memory = next.mmap(hint, bytes, protection, flags, file, offset);
    if (memory != MAP_FAILED && !is_small_mapping(bytes) && is_plain_memory(protection, flags))
        spread_pages({memory, (bytes + mem::kPageBytes - 1) & ~(mem::kPageBytes - 1)});
    return memory;
}

// Blocks from the least size on get mappings of their own, as many as leave the program three
// quarters of what vm.max_map_count allows. glibc raises both thresholds together when a mapped
// block is freed, up to 32 MiB: a block above that is mapped in any case. Set by hand they stay, at
// the same ratio.
void keep_blocks_mapped(std::size_t at_least_bytes) {
    constexpr std::size_t kHighest = std::size_t{32} << 20;
    const long most = distribute::most_mappings() / 4;
    if (at_least_bytes >= kHighest || most <= 0 || most > INT_MAX || next.mallopt == nullptr) return;
    const int bytes = static_cast<int>(at_least_bytes);
    (void)next.mallopt(M_MMAP_MAX, static_cast<int>(most));
    (void)next.mallopt(M_MMAP_THRESHOLD, bytes);
    (void)next.mallopt(M_TRIM_THRESHOLD, 2 * bytes);
}

// Whether there are only the filters that the first program had. Whoever has set another one since,
// as a sandbox does for what it starts, may end the process at any call that it does not expect. No
// word either. The dynamic linker has just opened and read files: that may be done.
bool is_free(const distribute::Settings& settings) {
    const long filters = distribute::filters_of_process();
    return filters >= 0 && filters <= settings.filters;
}

// Other C libraries than glibc give a constructor no arguments; there all calls are passed on.
[[gnu::constructor]] void start(int, char**, char** variables) {
    if (!knows_next() || &__libc_malloc == nullptr) return;
    const char* const text = distribute::variable(variables, "TEFF_DISTRIBUTE");
    if (text == nullptr) return;
    const auto settings = distribute::read_settings(text);
    if (settings && !is_free(*settings)) return;
    base::note_standard_error(base::standard_error());
    if (!settings) return distribute::say(distribute::words::kNotValid);
    placer.set(*settings);
    if (!placer.has_nodes()) return;
    filter_at_start = filter();
    distribute::placements.note_process();
    gives_pages_back = !distribute::shapes_new_blocks(variables);
    if (next.is_glibc() && !distribute::sets_thresholds(variables)) keep_blocks_mapped(settings->at_least_bytes);
    look_at(next.is_glibc() ? settings->at_least_bytes : kNobody, settings->at_least_bytes);
}

// What the program forbids itself may end it at our next system call, in any thread: there is none
// after this. A child that shares our memory (vfork) means itself; we go on.
[[gnu::cold]] void stay_out() {
    const bool is_first = mappings_from.load(std::memory_order_relaxed) != kNobody;
    if (!is_first && distribute::placements.count() <= own_placements) return;
    if (distribute::placements.are_of_another_process()) return;
    look_at(kNobody, kNobody);
    distribute::placements.stop(own_placements);
    if (is_first) distribute::say(distribute::words::kRestricted);
}

} // namespace

TEFF_EXPORT void* malloc(std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.malloc(bytes);
    return big_block(bytes, [=] { return next.malloc(bytes); });
}

TEFF_EXPORT void* calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX; // the next one refuses it
    if (is_small_block(all)) [[likely]]
        return next.calloc(count, bytes);
    return big_block(all, [=] { return next.calloc(count, bytes); });
}

TEFF_EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.realloc(block, bytes);
    return big_realloc(block, bytes);
}

TEFF_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.memalign(alignment, bytes);
    return big_block(bytes, [=] { return next.memalign(alignment, bytes); });
}

TEFF_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.aligned_alloc(alignment, bytes);
    return big_block(bytes, [=] { return next.aligned_alloc(alignment, bytes); });
}

TEFF_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.posix_memalign(result, alignment, bytes);
    return big_posix_memalign(result, alignment, bytes);
}

TEFF_EXPORT void* valloc(std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.valloc(bytes);
    return big_block(bytes, [=] { return next.valloc(bytes); });
}

TEFF_EXPORT void* pvalloc(std::size_t bytes) noexcept {
    if (is_small_block(bytes)) [[likely]]
        return next.pvalloc(bytes);
    return big_block(bytes, [=] { return next.pvalloc(bytes); });
}

TEFF_EXPORT void* mmap(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    if (is_small_mapping(bytes)) [[likely]]
        return next.mmap(hint, bytes, protection, flags, file, offset);
    return big_mapping(hint, bytes, protection, flags, file, offset);
}

TEFF_EXPORT void* mmap64(void* hint, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    if (is_small_mapping(bytes)) [[likely]]
        return next.mmap(hint, bytes, protection, flags, file, offset);
    return big_mapping(hint, bytes, protection, flags, file, offset);
}

// Where programs begin to forbid themselves system calls: seccomp(2) needs the first of these, too,
// but for root's filters, which `place` finds.
TEFF_EXPORT int prctl(int option, ...) noexcept {
    std::va_list words;
    va_start(words, option);
    unsigned long argument[4];
    for (unsigned long& word : argument)
        word = va_arg(words, unsigned long);
    va_end(words);
    if (!knows_next()) return errno = ENOSYS, -1; // the search makes no such call
    if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) stay_out();
    return next.prctl(option, argument[0], argument[1], argument[2], argument[3]);
}

// Over how many nodes a process that is started from here would spread its memory. Below 0: minus
// the errno value with which the system refuses that.
TEFF_EXPORT long teff_distribute_nodes() {
    mem::Allowance allowance;
    if (const long error = mem::ask_allowance(allowance); error != 0) return error;
    const mem::System& system = mem::real_system();
    const mem::Nodes nodes = mem::thread_nodes();
    const mem::Range page = {system.map(mem::kPageBytes), mem::kPageBytes};
    if (nodes.count < 2 || page.begin == nullptr) return nodes.count;
    const long error = system.bind(page, mem::Policy::interleave, nodes.mask);
    system.unmap(page);
    return error != 0 ? error : static_cast<long>(nodes.count);
}

// How many filters there are for the caller's system calls: for TEFF_DISTRIBUTE (settings.h).
TEFF_EXPORT long teff_distribute_filters() { return distribute::filters_of_process(); }
