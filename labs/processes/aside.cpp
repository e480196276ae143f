// SPDX-License-Identifier: Apache-2.0
#include "processes/aside.h"

#include <csignal>
#include <initializer_list>
#include <sys/mman.h>

extern "C" [[gnu::visibility("hidden")]] void teff_processes_call_on(void (*function)(void*), void* argument,
                                                                     void* stack);

namespace teff::processes {

namespace {

constexpr std::size_t kOwnStack = 256 << 10;
// An upper limit of what the functions that lead here store below their frame's address.
constexpr std::uintptr_t kBelowFrame = 512;

std::byte* own_stack = nullptr;
memory::Stack program_stack = {};
bool on_own_stack = false;
std::uintptr_t interrupted_at = 0; // the program's stack pointer, less what functions may use below it

std::byte* make_stack() {
    void* const made = mmap(nullptr, kOwnStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (made == MAP_FAILED) fail_errno("no memory for a stack of the runtime's own");
    return static_cast<std::byte*>(made);
}

} // namespace

[[gnu::noinline]] void detail::run_aside(void (*function)(void*), void* argument) {
    if (own_stack == nullptr) own_stack = make_stack();
    program_stack.live = interrupted_at != 0
                             ? interrupted_at
                             : reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - kBelowFrame;
    on_own_stack = true;
    teff_processes_call_on(function, argument, own_stack + kOwnStack);
    on_own_stack = false;
}

bool is_aside() { return on_own_stack; }
bool is_interrupted() { return interrupted_at != 0; }

Interrupted::Interrupted(std::uintptr_t live) : before_(interrupted_at) {
    constexpr std::uintptr_t kRedZone = 128;
    interrupted_at = live - kRedZone;
}
Interrupted::~Interrupted() { interrupted_at = before_; }

void make_handler_stack() {
    const stack_t stack = {.ss_sp = make_stack(), .ss_flags = 0, .ss_size = kOwnStack};
    sigaltstack(&stack, nullptr);
}
sigset_t others_while_handling() {
    sigset_t others;
    sigfillset(&others);
    for (const int own : {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE})
        sigdelset(&others, own);
    return others;
}
bool is_on_program_stack() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here >= program_stack.start && here < program_stack.end;
}
memory::Stack left_stack() { return program_stack; }
void set_stack(std::uintptr_t start, std::uintptr_t end) { program_stack = {start, end, end}; }

} // namespace teff::processes
