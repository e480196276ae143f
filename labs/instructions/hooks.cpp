// SPDX-License-Identifier: Apache-2.0
//
// The hooks that GCC calls in a program that was compiled with share/teff/instructions.flags:
// before each access to memory, by the interface of ThreadSanitizer's runtime (-fsanitize=thread),
// and in each basic block (-fsanitize-coverage=trace-pc). The hooks count into the thread's current
// grain. They take no lock, make no system call, and access only the thread's own memory.
//
// The compiler inserts no hooks for accesses that no other code can see: spilled registers, calls
// and returns, and local variables whose address is not taken. docs/characterising.md says what
// follows from this.
#include <cstddef>
#include <cstdint>

#include "grain.h"
#include "hook_addresses.h"
#include "weights.h"

using namespace teff::instructions;

#define TEFF_EXPORTED extern "C" [[gnu::visibility("default")]]
#define TEFF_HOOK TEFF_EXPORTED [[gnu::section(TEFF_HOOKS_SECTION)]]

namespace {

Grain& running() { return *(current == &unstarted ? first_of_thread() : current); }

// Whether the address is between the stack pointer and the beginning of the grain's own stack. If
// this beginning is not known yet, the stack counts as endless.
bool is_stack(Grain& grain, std::uintptr_t address, std::uintptr_t pointer) {
    if (address - pointer >= grain.stack_top - pointer) return false;
    if (__builtin_expect(grain.stack_top != 0, 1)) return true;
    find_stack(grain);
    return address - pointer < grain.stack_top - pointer;
}

// An access to the stack, or to a line that is in no slot.
[[gnu::noinline]] void other_access(std::uintptr_t address, bool writes) {
    const auto pointer = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    Grain& grain = running();
    if (is_stack(grain, address, pointer)) {
        ++(writes ? grain.stack_writes : grain.stack_reads);
        return;
    }
    ++(writes ? grain.writes : grain.reads);
    const std::uintptr_t line = address >> kLineShift;
    grain.give_slot(line);
    grain.footprint.enter(line);
}

// HOT. All loads are from the thread's own memory, and there is only one branch.
[[gnu::always_inline]] inline void access(const void* where, bool writes) {
    const auto address = reinterpret_cast<std::uintptr_t>(where);
    const std::uintptr_t line = address >> kLineShift;
    Slot& slot = current->slots[slot_of(line)];
    if (__builtin_expect(slot.line != line, 0)) return other_access(address, writes);
    ++(writes ? slot.writes : slot.reads);
}

// For the first block that the thread counts, a block that is executed for the first time, or a
// block without a place in the table.
[[gnu::noinline]] void other_block(std::uintptr_t address) { running().instructions += weight_of(address); }

// A copy of a structure counts as accesses of 16 bytes.
void access_range(const void* where, std::size_t bytes, bool writes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(where);
    for (std::size_t at = 0; at < bytes; at += 16)
        other_access(begin + at, writes);
}

} // namespace

// HOT. A thread's first grain begins with its first access, or with a block that is new.
TEFF_HOOK void __sanitizer_cov_trace_pc() {
    const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    const std::uint64_t block = blocks[block_place(address)].load(std::memory_order_relaxed);
    if (__builtin_expect(block >> kWeightBits != address, 0)) return other_block(address);
    current->instructions += block & kMostWeight;
}

TEFF_HOOK void __tsan_read1(void* address) { access(address, false); }
TEFF_HOOK void __tsan_read2(void* address) { access(address, false); }
TEFF_HOOK void __tsan_read4(void* address) { access(address, false); }
TEFF_HOOK void __tsan_read8(void* address) { access(address, false); }
TEFF_HOOK void __tsan_read16(void* address) { access(address, false); }
TEFF_HOOK void __tsan_write1(void* address) { access(address, true); }
TEFF_HOOK void __tsan_write2(void* address) { access(address, true); }
TEFF_HOOK void __tsan_write4(void* address) { access(address, true); }
TEFF_HOOK void __tsan_write8(void* address) { access(address, true); }
TEFF_HOOK void __tsan_write16(void* address) { access(address, true); }
TEFF_HOOK void __tsan_volatile_read1(void* address) { access(address, false); }
TEFF_HOOK void __tsan_volatile_read2(void* address) { access(address, false); }
TEFF_HOOK void __tsan_volatile_read4(void* address) { access(address, false); }
TEFF_HOOK void __tsan_volatile_read8(void* address) { access(address, false); }
TEFF_HOOK void __tsan_volatile_read16(void* address) { access(address, false); }
TEFF_HOOK void __tsan_volatile_write1(void* address) { access(address, true); }
TEFF_HOOK void __tsan_volatile_write2(void* address) { access(address, true); }
TEFF_HOOK void __tsan_volatile_write4(void* address) { access(address, true); }
TEFF_HOOK void __tsan_volatile_write8(void* address) { access(address, true); }
TEFF_HOOK void __tsan_volatile_write16(void* address) { access(address, true); }
TEFF_HOOK void __tsan_read_range(void* address, std::size_t bytes) { access_range(address, bytes, false); }
TEFF_HOOK void __tsan_write_range(void* address, std::size_t bytes) { access_range(address, bytes, true); }
TEFF_HOOK void __tsan_vptr_read(void** address) { access(address, false); }
TEFF_HOOK void __tsan_vptr_update(void** address, void*) { access(address, true); }

// The compiler does not insert these calls; they are for code that makes them itself.
TEFF_HOOK void __tsan_func_entry(void*) {}
TEFF_HOOK void __tsan_func_exit() {}
TEFF_HOOK void __tsan_init() {}

// The compiler also turns atomic operations into calls. These functions execute them, always with
// the strongest order, which is correct for every requested order. Each counts as a read, a write,
// or both.
TEFF_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
TEFF_HOOK void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#define TEFF_ATOMIC TEFF_EXPORTED [[gnu::section(TEFF_ATOMICS_SECTION)]]

#define TEFF_FETCH(bits, type, operation)                                                                              \
    TEFF_ATOMIC type __tsan_atomic##bits##_fetch_##operation(volatile type* at, type value, int) {                     \
        access(const_cast<type*>(at), false);                                                                          \
        access(const_cast<type*>(at), true);                                                                           \
        return __atomic_fetch_##operation(at, value, __ATOMIC_SEQ_CST);                                                \
    }

#define TEFF_EXCHANGE(bits, type, strength, weak)                                                                      \
    TEFF_ATOMIC int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* at, type* expected, type desired, \
                                                                      int, int) {                                      \
        access(const_cast<type*>(at), false);                                                                          \
        access(const_cast<type*>(at), true);                                                                           \
        return __atomic_compare_exchange_n(at, expected, desired, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    }

#define TEFF_ATOMICS(bits, type)                                                                                       \
    TEFF_ATOMIC type __tsan_atomic##bits##_load(const volatile type* at, int) {                                        \
        access(const_cast<type*>(at), false);                                                                          \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                  \
    }                                                                                                                  \
    TEFF_ATOMIC void __tsan_atomic##bits##_store(volatile type* at, type value, int) {                                 \
        access(const_cast<type*>(at), true);                                                                           \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                 \
    }                                                                                                                  \
    TEFF_ATOMIC type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                              \
        access(const_cast<type*>(at), false);                                                                          \
        access(const_cast<type*>(at), true);                                                                           \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                       \
    }                                                                                                                  \
    TEFF_FETCH(bits, type, add)                                                                                        \
    TEFF_FETCH(bits, type, sub)                                                                                        \
    TEFF_FETCH(bits, type, and)                                                                                        \
    TEFF_FETCH(bits, type, or)                                                                                         \
    TEFF_FETCH(bits, type, xor)                                                                                        \
    TEFF_FETCH(bits, type, nand)                                                                                       \
    TEFF_EXCHANGE(bits, type, strong, false)                                                                           \
    TEFF_EXCHANGE(bits, type, weak, true)

TEFF_ATOMICS(8, std::uint8_t)
TEFF_ATOMICS(16, std::uint16_t)
TEFF_ATOMICS(32, std::uint32_t)
TEFF_ATOMICS(64, std::uint64_t)

// Atomic operations of 16 bytes. The compiler would call libatomic for them, with which the program
// may not be linked. So they use the processor's one instruction for them (CMPXCHG16B: -mcx16),
// which writes even if the operation only reads.
__extension__ using Wide = unsigned __int128;

[[gnu::section(TEFF_ATOMICS_SECTION)]] static Wide swap_if(volatile Wide* at, Wide wanted, Wide desired) {
    return __sync_val_compare_and_swap(at, wanted, desired);
}

template <class Change> [[gnu::section(TEFF_ATOMICS_SECTION)]] static Wide change(volatile Wide* at, Change changed) {
    for (Wide before = 0;;) {
        const Wide found = swap_if(at, before, changed(before));
        if (found == before) return before;
        before = found;
    }
}

#define TEFF_CHANGE_WIDE(name, result)                                                                                 \
    TEFF_ATOMIC Wide __tsan_atomic128_##name(volatile Wide* at, Wide value, int) {                                     \
        access(const_cast<Wide*>(at), false);                                                                          \
        access(const_cast<Wide*>(at), true);                                                                           \
        return change(at, [value](Wide before) -> Wide { return (void)before, result; });                              \
    }

TEFF_ATOMIC Wide __tsan_atomic128_load(const volatile Wide* at, int) {
    access(const_cast<Wide*>(at), false);
    return change(const_cast<volatile Wide*>(at), [](Wide before) { return before; });
}

TEFF_ATOMIC void __tsan_atomic128_store(volatile Wide* at, Wide value, int) {
    access(const_cast<Wide*>(at), true);
    change(at, [value](Wide) { return value; });
}

TEFF_CHANGE_WIDE(exchange, value)
TEFF_CHANGE_WIDE(fetch_add, before + value)
TEFF_CHANGE_WIDE(fetch_sub, before - value)
TEFF_CHANGE_WIDE(fetch_and, before& value)
TEFF_CHANGE_WIDE(fetch_or, before | value)
TEFF_CHANGE_WIDE(fetch_xor, before ^ value)
TEFF_CHANGE_WIDE(fetch_nand, ~(before& value))

TEFF_ATOMIC int __tsan_atomic128_compare_exchange_strong(volatile Wide* at, Wide* expected, Wide desired, int, int) {
    access(const_cast<Wide*>(at), false);
    access(const_cast<Wide*>(at), true);
    const Wide wanted = *expected, found = swap_if(at, wanted, desired);
    *expected = found;
    return found == wanted;
}

TEFF_ATOMIC int __tsan_atomic128_compare_exchange_weak(volatile Wide* at, Wide* expected, Wide desired, int success,
                                                       int failure) {
    return __tsan_atomic128_compare_exchange_strong(at, expected, desired, success, failure);
}
