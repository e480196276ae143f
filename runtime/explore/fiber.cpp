// SPDX-License-Identifier: Apache-2.0

#include "explore/fiber.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

namespace teff::explore {

namespace {

constexpr std::size_t guard_bytes = 4096;
// Room for a failing GoogleTest assertion inside a thread.
constexpr std::size_t usual_stack_bytes = 256 * 1024;

void* map_stack(std::size_t stack_bytes) {
    void* stack = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return nullptr;
    if (mprotect(stack, guard_bytes, PROT_NONE) == 0) return stack;
    munmap(stack, guard_bytes + stack_bytes);
    return nullptr;
}

} // namespace

Fiber::Fiber(Entry entry, void* argument, std::size_t stack_bytes)
    : entry_(entry), argument_(argument), stack_bytes_(stack_bytes != 0 ? stack_bytes : usual_stack_bytes) {
    stack_ = map_stack(stack_bytes_);
    if (stack_ == nullptr) return;
    getcontext(&context_);
    context_.uc_stack.ss_sp = static_cast<char*>(stack_) + guard_bytes;
    context_.uc_stack.ss_size = stack_bytes_;
    context_.uc_link = nullptr;
    // makecontext passes only ints, hence the pointer in two halves.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::start), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}

Fiber::~Fiber() {
    if (stack_ != nullptr) {
        munmap(stack_, guard_bytes + stack_bytes_);
    }
}

void Fiber::start(unsigned high, unsigned low) {
    const auto self = (static_cast<std::uintptr_t>(high) << 32) | low;
    auto* fiber = reinterpret_cast<Fiber*>(self);
    fiber->entry_(fiber->argument_);
    std::abort(); // an entry never returns
}

void Fiber::switch_to(Fiber& next) { swapcontext(&context_, &next.context_); }

} // namespace teff::explore
