// SPDX-License-Identifier: Apache-2.0
//
// libteff-distribute.so: intercepts the C library's malloc and mmap in programs that cannot be
// changed, and spreads the pages of their big allocations over the nodes (docs/distribution.md).
//
// The memory still belongs to the C library. Each function here first calls the function that it
// intercepts (the next function, next.h). It then asks the kernel to spread the block, if the block
// has a separate mapping (block.h). So free and malloc_usable_size need not be intercepted, and
// memory that is freed and used again elsewhere has no policy. Big blocks get separate mappings by
// glibc's M_MMAP_THRESHOLD. The constructor sets this threshold once, before main, because glibc
// would otherwise raise the threshold when a mapped block is freed. If the next malloc is not
// glibc's, only calls of mmap are considered. Rejected: an allocator of our own, because every free
// of the program would have to distinguish its blocks from others; and these functions in
// libgomp.so.1, because preloading libgomp.so.1 would put Teff's OpenMP into every program that the
// program starts.
//
// The constructor makes all decisions that are made only once, from the environment with which the
// process was started. After the constructor nothing is initialised any more: an allocation only
// makes system calls that bypass the C library, and adds to counters (placer.h). So an allocation
// may be made in a signal handler, in a forked child, and while another thread calls setenv. An
// allocation also never calls a function of the C library that the program may have replaced by its
// own. The functions here allocate no memory, take no lock and do not change errno. They never
// wait, with one exception: a thread that is about to restrict the process's system calls waits,
// for a limited time, until other threads have placed their memory (placements.h).
//
// The functions are also called before the constructor runs: by the dynamic linker, by constructors
// of other libraries, and while this library searches for the next functions. These calls are
// passed on. The first of them happens before there is a second thread, because pthread_create
// allocates memory.
//
// [distribute-1] A bound (blocks_from, mappings_from) is stored with release, after everything is
//                known that calls need: for calls with sizes above the bound, the constructor's
//                decisions, and for calls below it, the next function. Each call loads the bound
//                with acquire.
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

// Allocations with fewer bytes are passed on at once. 0: `next` is not known yet.
constinit std::atomic<std::size_t> blocks_from{0}, mappings_from{0};

// Written by the constructor, before it calls `look_at`.
constinit distribute::Placer placer(mem::real_system, mem::thread_nodes, distribute::mappings_of_process);
constinit bool gives_pages_back = true;
constinit long filter_at_start = 0;

// The number of placements of this thread that have begun and are not over. A signal handler does
// not wait for these placements, which it has interrupted.
constinit thread_local int own_placements [[gnu::tls_model("initial-exec")]] = 0;

// While an object of this class lives and is_allowed() is true, the thread may ask the kernel to
// place memory.
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

// Finds the next functions. Returns false if the call comes from the dynamic linker's own search
// for them.
[[gnu::cold, gnu::noinline]] bool find_next() {
    static constinit bool searching = false;
    if (std::exchange(searching, true)) return false;
    find_all(next);
    look_at(kNobody, kNobody);
    return true;
}
bool knows_next() { return blocks_from.load(std::memory_order_acquire) != 0 || find_next(); } // [distribute-1]

// Returns the kind of the thread's filter for system calls, as PR_GET_SECCOMP reports it.
long filter() { return base::call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0); }

// Asks the kernel to spread a range. Returns true if the range was placed. Called only during the
// lifetime of a Placement.
bool place(mem::Range range) {
    const Outcome outcome = filter() == filter_at_start ? placer.place(range) : Outcome::never;
    if (outcome == Outcome::never) look_at(kNobody, kNobody);
    return outcome == Outcome::placed;
}

// Gives the pages of a new block back to the kernel, so that the policy applies to all of them. The
// C library has already touched the first page, which may be a huge page, and pages that exist stay
// where they are. No other code knows the block yet, and the block contains nothing or zeros. The
// next access to a page gets a zeroed page on the node that the policy selects. The pages are not
// given back if the user asks for huge pages, which the kernel might not provide again, or if the
// user has told the C library to fill new blocks.
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

// Returns a block of `bytes` bytes from `allocate`, which calls the next function, and spreads the
// block if it is big.
template <class Allocate> [[gnu::noinline]] void* big_block(std::size_t bytes, Allocate allocate) {
    if (!knows_next()) return no_memory();
    void* const block = allocate();
    if (block != nullptr && !is_small_block(bytes)) spread_block(block, bytes);
    return block;
}

// A block that already has a big mapping keeps the mapping and its policy when it grows. A block
// that gets its mapping by this call has been copied there: the pages that the copy has touched
// stay where they are, and the other pages are spread.
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

// Returns true if the mapping is plain memory of the program, which may be spread. Stacks,
// reservations, mappings of huge pages and mappings that get their pages at once are not plain
// memory: the program or the kernel determines their nodes. Mappings at a fixed address are not
// plain memory either: the program may place them next to each other and later move them together
// (mremap), which fails if their policies differ.
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

// Makes glibc map each block of at least `at_least_bytes` separately. The number of these mappings
// is limited so that the program keeps three quarters of vm.max_map_count. glibc raises the mmap
// threshold and the trim threshold together when a mapped block is freed, up to 32 MiB: a block
// above 32 MiB is mapped in any case. After they are set by mallopt, both thresholds stay; their
// ratio is the one that glibc uses.
void keep_blocks_mapped(std::size_t at_least_bytes) {
    constexpr std::size_t kHighest = std::size_t{32} << 20;
    const long most = distribute::most_mappings() / 4;
    if (at_least_bytes >= kHighest || most <= 0 || most > INT_MAX || next.mallopt == nullptr) return;
    const int bytes = static_cast<int>(at_least_bytes);
    (void)next.mallopt(M_MMAP_MAX, static_cast<int>(most));
    (void)next.mallopt(M_MMAP_THRESHOLD, bytes);
    (void)next.mallopt(M_TRIM_THRESHOLD, 2 * bytes);
}

// Returns true if the process has only the filters that the first program had. A program that has
// set another filter since, as a sandbox does for the programs that it starts, may end the process
// at any system call that it does not expect. So the constructor then does nothing and prints
// nothing. This function may read /proc, because the dynamic linker has just opened and read files,
// too.
bool is_free(const distribute::Settings& settings) {
    const long filters = distribute::filters_of_process();
    return filters >= 0 && filters <= settings.filters;
}

// C libraries other than glibc pass no arguments to a constructor; with them all calls are passed
// on.
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

// Stops the spreading of memory for good. Called before the program restricts its system calls: a
// system call of ours in any thread could then end the program, so there is none after this
// function. A child that shares our memory (vfork) restricts only itself, so its call changes
// nothing.
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

// Programs begin to restrict their system calls by prctl: seccomp(2), too, requires
// PR_SET_NO_NEW_PRIVS, except for a program of root, whose filter `place` detects.
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

// Returns the number of nodes over which a process that is started from this one would spread its
// memory. Returns a value below 0, minus an errno value, if the system refuses to spread memory.
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

// Returns the number of filters for the caller's system calls, for TEFF_DISTRIBUTE (settings.h).
TEFF_EXPORT long teff_distribute_filters() { return distribute::filters_of_process(); }
