// SPDX-License-Identifier: Apache-2.0
#include "fiber/stack_pool.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "base/round_up.h"
#include "base/system_call.h"
#include "fiber/raw_switch.h"

namespace teff::fiber {

namespace {

// Preserves errno, because a context is taken in the middle of the program. The calls go through
// the C library, so that sanitizers see them.
class KeptErrno {
  public:
    KeptErrno() : value_(errno) {}
    ~KeptErrno() { errno = value_; }
    KeptErrno(const KeptErrno&) = delete;
    KeptErrno& operator=(const KeptErrno&) = delete;

  private:
    int value_;
};

void* map_bytes(std::size_t bytes) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Wider than a page, because a function with a large frame may skip the first page. Costs only
// address space.
constexpr std::size_t kGuardBytes = 64 << 10;

constexpr unsigned long kRegisterStack = 0x1501, kDeregisterStack = 0x1502; // valgrind's numbers

unsigned tell_valgrind(const void* bottom, const void* top) {
    const unsigned long request[6] = {kRegisterStack, reinterpret_cast<unsigned long>(bottom),
                                      reinterpret_cast<unsigned long>(top)};
    return static_cast<unsigned>(teff_fiber_ask_valgrind(request));
}
void tell_valgrind_no_more(unsigned id) {
    const unsigned long request[6] = {kDeregisterStack, id};
    teff_fiber_ask_valgrind(request);
}

// A link in the table of mappings. It is odd, so it is not an address.
std::uintptr_t link_to(unsigned slot) { return std::uintptr_t{slot} << 1 | 1; }
bool is_link(std::uintptr_t word) { return (word & 1) != 0; }

// Gives back all pages below the record's page.
void give_pages_back(const PooledContext& context) {
    auto* const bottom = static_cast<char*>(const_cast<void*>(context.bottom()));
    const auto bytes = static_cast<std::size_t>(static_cast<const char*>(context.top()) - bottom);
    madvise(bottom, bytes / page_bytes() * page_bytes(), MADV_DONTNEED);
}

} // namespace

bool StackPool::open(const Settings& settings) {
    assert(slots_ == nullptr);
    if (shadow_stack_is_on()) return false;
    find_exceptions();
    const std::size_t page = page_bytes(), least = least_stack_bytes();
    guard_bytes_ = base::round_up(kGuardBytes, page);
    stack_bytes_ = base::round_up(settings.stack_bytes < least ? least : settings.stack_bytes, page);
    idle_limit_ = settings.idle_limit;
    const unsigned limit = settings.limit == 0 ? default_limit() : settings.limit;
    void* const table = map_bytes(limit * sizeof(Slot));
    if (table == nullptr) return false;
    slots_ = static_cast<Slot*>(table); // zeros are atomics of 0
    limit_ = limit;
    return true;
}

PooledContext* StackPool::make_at(char* bottom) const {
    void* const record = bottom + stack_bytes_ - base::round_up(sizeof(PooledContext), base::kCacheLine);
    auto* const context = ::new (record) PooledContext(bottom, record);
    context->valgrind_id_ = tell_valgrind(bottom, record);
    return context;
}

unsigned StackPool::map(PooledContext** contexts, unsigned count) const {
    const std::size_t each = guard_bytes_ + stack_bytes_;
    auto* const memory = static_cast<char*>(map_bytes(count * each));
    if (memory == nullptr) return 0;
    // Each call splits a mapping, and the number of mappings is limited.
    for (unsigned i = 0; i < count; ++i) {
        if (mprotect(memory + i * each, guard_bytes_, PROT_NONE) == 0) continue;
        munmap(memory, count * each);
        return 0;
    }
    madvise(memory, count * each, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < count; ++i)
        contexts[i] = make_at(memory + i * each + guard_bytes_);
    return count;
}

void StackPool::unmap(PooledContext& context) const {
    tell_valgrind_no_more(context.valgrind_id_);
    munmap(static_cast<char*>(const_cast<void*>(context.bottom())) - guard_bytes_, guard_bytes_ + stack_bytes_);
}

void StackPool::enter(PooledContext& context) {
    if (free_slot_ == kNoFreeSlot) {
        context.slot_ = slots_used_++;
    } else {
        context.slot_ = static_cast<unsigned>(free_slot_ >> 1);
        free_slot_ = slots_[context.slot_].load(std::memory_order_relaxed);
    }
    // For a forked child: the record must be complete when the table names it.
    slots_[context.slot_].store(reinterpret_cast<std::uintptr_t>(&context), std::memory_order_release); // [pool-1]
    ++counts_.made;
}

void StackPool::strike_out(PooledContext& context) {
    slots_[context.slot_].store(free_slot_, std::memory_order_relaxed);
    free_slot_ = link_to(context.slot_);
    --counts_.existing;
}

unsigned StackPool::reserve() {
    const sync::MutexGuard guard(lock_);
    const unsigned left = limit_ - counts_.existing;
    const unsigned more = std::min({counts_.existing / 2, limit_ / kPartAtATime, kMostAtATime});
    const unsigned count = std::min(left, std::max(1u, more));
    counts_.refused += count == 0;
    counts_.existing += count;
    counts_.peak = std::max(counts_.peak, counts_.existing);
    return count;
}

unsigned StackPool::make(PooledContext** contexts) {
    const KeptErrno kept;
    const unsigned count = reserve();
    if (count == 0) return 0;
    unsigned mapped = map(contexts, count); // without the lock, because this takes microseconds
    if (mapped == 0 && count > 1) mapped = map(contexts, 1);
    const sync::MutexGuard guard(lock_);
    counts_.existing -= count - mapped;
    counts_.refused += mapped == 0;
    for (unsigned i = 0; i < mapped; ++i)
        enter(*contexts[i]);
    return mapped;
}

unsigned StackPool::take_idle(PooledContext** contexts, unsigned wanted) {
    const sync::MutexGuard guard(lock_);
    unsigned taken = 0, warm = warm_.load(std::memory_order_relaxed);
    for (; taken < wanted && idle_warm_ != nullptr; ++taken, --warm) {
        contexts[taken] = idle_warm_;
        idle_warm_ = idle_warm_->next_;
    }
    warm_.store(warm, std::memory_order_relaxed);
    fewest_warm_ = std::min(fewest_warm_, warm);
    for (; taken < wanted && idle_cold_ != nullptr; ++taken, --cold_) {
        contexts[taken] = idle_cold_;
        idle_cold_ = idle_cold_->next_;
    }
    return taken;
}

void StackPool::put_warm(PooledContext* const* contexts, unsigned count) {
    const sync::MutexGuard guard(lock_);
    for (unsigned i = 0; i < count; ++i) {
        contexts[i]->next_ = idle_warm_;
        idle_warm_ = contexts[i];
    }
    warm_.store(warm_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

void StackPool::put_cold(PooledContext& context) {
    give_pages_back(context);
    {
        const sync::MutexGuard guard(lock_);
        if (cold_ < idle_limit_) {
            context.next_ = idle_cold_;
            idle_cold_ = &context;
            ++cold_;
            return;
        }
        strike_out(context);
    }
    unmap(context);
}

void StackPool::put_cold(PooledContext* const* contexts, unsigned count) {
    const KeptErrno errno_kept;
    for (unsigned i = 0; i < count; ++i)
        put_cold(*contexts[i]);
}

PooledContext* StackPool::take_unneeded() {
    const sync::MutexGuard guard(lock_);
    const unsigned warm = warm_.load(std::memory_order_relaxed);
    const unsigned count = std::min(fewest_warm_, std::clamp(fewest_warm_ / 2, kLeastTended, kMostTended));
    fewest_warm_ = warm - count;
    warm_.store(warm - count, std::memory_order_relaxed);
    PooledContext* const first = idle_warm_;
    PooledContext** last = &idle_warm_;
    for (unsigned i = 0; i < count; ++i)
        last = &(*last)->next_;
    if (count == 0) return nullptr;
    idle_warm_ = std::exchange(*last, nullptr);
    return first;
}

void StackPool::tend(bool slept_long) {
    const KeptErrno errno_kept;
    PooledContext* context = slept_long ? take_unneeded() : nullptr;
    while (context != nullptr) {
        PooledContext* const next = context->next_;
        put_cold(*context);
        context = next;
    }
    is_tended_.store(false, std::memory_order_relaxed);
}

void StackPool::add(StackCache& cache) {
    const sync::MutexGuard guard(lock_);
    cache.next_ = caches_;
    caches_ = &cache;
}

void StackPool::remove(StackCache& cache) {
    const sync::MutexGuard guard(lock_);
    StackCache** link = &caches_;
    while (*link != &cache)
        link = &(*link)->next_;
    *link = cache.next_;
}

StackPool::Counts StackPool::counts() {
    const sync::MutexGuard guard(lock_);
    Counts counts = counts_;
    for (const StackCache* cache = caches_; cache != nullptr; cache = cache->next_)
        counts.cached += cache->count_.load(std::memory_order_relaxed);
    counts.idle = warm_.load(std::memory_order_relaxed) + cold_;
    const unsigned unused = counts.cached + counts.idle;
    counts.in_use = counts.existing > unused ? counts.existing - unused : 0;
    return counts;
}

void StackPool::forget_idle() {
    idle_warm_ = idle_cold_ = nullptr;
    cold_ = fewest_warm_ = 0;
    warm_.store(0, std::memory_order_relaxed);
    is_tended_.store(false, std::memory_order_relaxed);
}

void StackPool::drop_all_in_child(bool (*keep)(const Context& context, void* argument), void* argument) {
    ::new (&lock_) sync::Mutex; // its holder may no longer exist
    const sync::MutexGuard guard(lock_);
    const void* const here = __builtin_frame_address(0);
    counts_.existing = 0;
    forget_idle();
    caches_ = nullptr;
    free_slot_ = kNoFreeSlot;
    // Does not use slots_used_, because it and the table are changed by separate stores.
    for (unsigned slot = 0; slot < limit_ && slots_[slot].load(std::memory_order_relaxed) != 0; ++slot) {
        const std::uintptr_t word = slots_[slot].load(std::memory_order_acquire); // [pool-1]
        slots_used_ = slot + 1;
        if (is_link(word)) {
            slots_[slot].store(free_slot_, std::memory_order_relaxed);
            free_slot_ = link_to(slot);
            continue;
        }
        auto& context = *reinterpret_cast<PooledContext*>(word);
        ++counts_.existing;
        const bool stands_here = context.bottom() <= here && here < context.top();
        if (stands_here || keep(context, argument)) continue;
        strike_out(context);
        unmap(context);
    }
}

void StackPool::close() {
    [[maybe_unused]] const Counts last = counts();
    assert(last.in_use == 0 && last.cached == 0);
    PooledContext* context;
    while (take_idle(&context, 1) == 1) {
        {
            const sync::MutexGuard guard(lock_);
            strike_out(*context);
        }
        unmap(*context);
    }
    if (slots_ != nullptr) munmap(slots_, limit_ * sizeof(Slot));
    slots_ = nullptr;
    limit_ = 0;
    const sync::MutexGuard guard(lock_);
    forget_idle();
    free_slot_ = kNoFreeSlot;
    slots_used_ = 0;
    counts_ = {};
}

void StackCache::become_known() {
    if (known_to_pool_) return;
    pool_->add(*this);
    known_to_pool_ = true;
}

PooledContext* StackCache::take_slow() {
    become_known();
    unsigned taken = pool_->take_idle(cached_, kMost / 2);
    if (taken == 0) taken = pool_->make(cached_);
    count_.store(taken, std::memory_order_relaxed);
    return take_cached();
}

// Hands over the older half, whose pages are the colder ones. Returns the number of contexts left.
unsigned StackCache::make_room() {
    become_known();
    if (count_.load(std::memory_order_relaxed) < kMost) return count_.load(std::memory_order_relaxed);
    constexpr unsigned kLeft = kMost - kMost / 2;
    count_.store(kLeft, std::memory_order_relaxed);
    pool_->put_warm(cached_, kMost / 2);
    for (unsigned i = 0; i < kLeft; ++i)
        cached_[i] = cached_[kMost / 2 + i];
    return kLeft;
}

void StackCache::give_back_departed(void* context) {
    auto& departed = *static_cast<PooledContext*>(context);
    departed.returns_to_->give_back(departed);
}

void StackCache::hand_over_all() {
    pool_->put_cold(cached_, count_.exchange(0, std::memory_order_relaxed));
    if (!known_to_pool_) return;
    pool_->remove(*this);
    known_to_pool_ = false;
}

void StackCache::forget_all() {
    count_.store(0, std::memory_order_relaxed);
    known_to_pool_ = false;
}

std::size_t least_stack_bytes() {
    constexpr std::size_t kWithoutSignals = 16 << 10, kUntoldSignalFrame = 8 << 10;
    const int before = errno;
    const std::size_t told = getauxval(AT_MINSIGSTKSZ); // from Linux 5.14 on
    errno = before;                                     // which getauxval changes if the kernel does not tell
    return base::round_up(kWithoutSignals + (told != 0 ? told : kUntoldSignalFrame), page_bytes());
}

unsigned default_limit() {
    constexpr unsigned long kLinuxDefault = 65530, kMostSensible = 3 << 20;
    char text[32] = {};
    const long file = base::call(SYS_openat, AT_FDCWD, "/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        base::call(SYS_read, file, text, sizeof text - 1);
        base::call(SYS_close, file);
    }
    const unsigned long told = std::strtoul(text, nullptr, 10);
    const unsigned long mappings = told == 0 ? kLinuxDefault : told < kMostSensible ? told : kMostSensible;
    return static_cast<unsigned>(mappings / 3);
}

} // namespace teff::fiber
