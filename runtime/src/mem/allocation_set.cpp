// SPDX-License-Identifier: Apache-2.0
#include "mem/allocation_set.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/report.h"
#include "sync/mutex.h"

namespace teff::mem {

namespace {

constexpr std::size_t kFirstCapacity = 64;

class AddressSet {
  public:
    void insert(void* address) {
        if (2 * (count_ + 1) > capacity_) grow();
        place(address);
        ++count_;
    }

    bool erase(void* address) {
        if (count_ == 0) return false;
        std::size_t at = home_of(address);
        for (; slots_[at] != address; at = next(at))
            if (slots_[at] == nullptr) return false;
        slots_[at] = nullptr;
        --count_;
        close_gap(at);
        return true;
    }

  private:
    std::size_t next(std::size_t at) const { return (at + 1) & (capacity_ - 1); }

    std::size_t home_of(void* address) const { // Fibonacci hashing (Knuth, vol. 3, 6.4)
        const auto bits = reinterpret_cast<std::uintptr_t>(address) >> 4;
        return bits * 0x9e3779b97f4a7c15ull >> 32 & (capacity_ - 1);
    }

    void place(void* address) {
        std::size_t at = home_of(address);
        while (slots_[at] != nullptr)
            at = next(at);
        slots_[at] = address;
    }

    // Enters the addresses after the gap again, because they may be there only because the slot was
    // in use.
    void close_gap(std::size_t gap) {
        for (std::size_t at = next(gap); slots_[at] != nullptr; at = next(at)) {
            void* address = slots_[at];
            slots_[at] = nullptr;
            place(address);
        }
    }

    void grow() {
        void** const old = slots_;
        const std::size_t old_capacity = capacity_;
        capacity_ = old_capacity == 0 ? kFirstCapacity : 2 * old_capacity;
        slots_ = static_cast<void**>(std::calloc(capacity_, sizeof(void*)));
        if (slots_ == nullptr) base::fatal(ENOMEM, "no memory to note %zu allocations", count_ + 1);
        for (std::size_t i = 0; i < old_capacity; ++i)
            if (old[i] != nullptr) place(old[i]);
        std::free(old);
    }

    void** slots_ = nullptr;
    std::size_t capacity_ = 0; // a power of two
    std::size_t count_ = 0;
};

constinit sync::Mutex lock;
constinit AddressSet allocations TEFF_GUARDED_BY(lock);

} // namespace

void remember_allocation(void* memory) {
    if (memory == nullptr) return;
    const sync::MutexGuard guard(lock);
    allocations.insert(memory);
}

bool forget_allocation(void* memory) {
    if (memory == nullptr) return false;
    const sync::MutexGuard guard(lock);
    return allocations.erase(memory);
}

void unlock_allocations() { ::new (&lock) sync::Mutex; }

} // namespace teff::mem
