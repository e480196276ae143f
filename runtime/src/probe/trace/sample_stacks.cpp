// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/sample_stacks.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "probe/trace/calls.h"
#include "probe/trace/digest.h"
#include "probe/trace/guest.h"

namespace teff::probe::trace {

namespace {

// A word of a frame of Python: its code, its line, and whether it is an entry.
constexpr std::uint64_t kEntryBit = std::uint64_t{1} << 31;

} // namespace

SampleStacks* SampleStacks::make() {
    FoundObject own;
    if (!find_object_without_lock(reinterpret_cast<std::uintptr_t>(&find_loaded_module), own)) return nullptr;
    void* const memory = map_memory(sizeof(SampleStacks)); // all zero
    if (memory == nullptr) return nullptr;
    (void)call(SYS_madvise, memory, sizeof(SampleStacks), MADV_WIPEONFORK);
    auto* const made = ::new (memory) SampleStacks;
    made->own_begin_ = own.begin;
    made->own_end_ = own.end;
    return made;
}

void SampleStacks::unmake(SampleStacks* stacks) {
    if (stacks != nullptr) call(SYS_munmap, stacks, sizeof(SampleStacks));
}

void SampleStacks::take(const void* context) {
    constexpr std::size_t kMostBytes = sizeof(Stack) + (kMostDepth + PythonFrames::kMostFrames) * sizeof(std::uint64_t);
    if (round_ == 0 || used_ + kMostBytes > kBufferBytes) return;
    if (!may_call_now()) return; // the walk makes system calls
    Stack& stack = *at(used_);
    const FrameWalker::Registers registers{
        .code = reinterpret_cast<std::uintptr_t>(base::arch::interrupted_instruction(context)),
        .stack = reinterpret_cast<std::uintptr_t>(base::arch::interrupted_stack(context)),
        .frame = base::arch::interrupted_frame(context)};
    stack = {.when = base::ticks(), .leaf = registers.code, .digest = 0, .frames = 0, .python = 0, .flags = 0};
    auto* const words = reinterpret_cast<std::uint64_t*>(&stack + 1);
    walk(stack, registers, words);
    if ((stack.flags & TEFF_PATH_OF_TASK) == 0) add_python(stack, words + stack.frames);
    stack.digest = mix(stack.digest, stack.flags + 1u);
    used_ += bytes_of(stack);
}

void SampleStacks::walk(Stack& stack, FrameWalker::Registers registers, std::uint64_t* frames) {
    if (++round_ == 0) round_ = 1;
    walker_.begin_interrupted(registers.stack, round_);
    bool is_in_program = !is_own(registers.code);
    ++registers.code; // as behind a call: rules are looked up before it
    for (;;) {
        const FrameWalker::KnownRule* const known = walker_.rule_of(registers.code);
        stack.digest = mix(stack.digest, known != nullptr ? walker_.identity_of(*known) : 0);
        if (known != nullptr && known->rule.cfa_is == FrameRule::Cfa::kOutermost) return;
        if (known == nullptr || !walker_.go_to_caller(registers, known->rule)) {
            stack.flags |= TEFF_PATH_LOST;
            return;
        }
        if (is_own(registers.code)) {
            if (!is_in_program) continue;
            stack.flags |= TEFF_PATH_OF_TASK;
            return;
        }
        is_in_program = true;
        if (stack.frames >= kMostDepth) {
            stack.flags |= TEFF_PATH_CUT;
            return;
        }
        frames[stack.frames++] = registers.code;
        stack.digest = mix(stack.digest, registers.code);
    }
}

void SampleStacks::add_python(Stack& stack, std::uint64_t* words) {
    const std::uint32_t frames = python_.read(python_frames_);
    for (std::uint32_t i = 0; i < frames; ++i) {
        const PythonFrames::Frame& frame = python_frames_[i];
        words[i] = std::uint64_t{frame.code} << 32 | (frame.is_entry ? kEntryBit : 0) | (frame.line & (kEntryBit - 1));
        stack.digest = mix(stack.digest, words[i] + 1);
    }
    stack.python = static_cast<std::uint16_t>(frames);
    if (frames == PythonFrames::kMostFrames) stack.flags |= TEFF_PATH_CUT;
}

PythonFrames::Frame SampleStacks::python(const Stack& stack, std::uint32_t which) {
    const std::uint64_t of = word(stack, stack.frames + which);
    return {static_cast<std::uint32_t>(of >> 32), static_cast<std::uint32_t>(of & (kEntryBit - 1)),
            (of & kEntryBit) != 0};
}

std::size_t SampleStacks::bytes_of(const Stack& stack) {
    return sizeof(Stack) + (std::size_t{stack.frames} + stack.python) * sizeof(std::uint64_t);
}

// The kernel's time of a sample is known to some microseconds.
const SampleStacks::Stack* SampleStacks::match(Ticks when, std::uintptr_t address) {
    for (; read_ < used_; read_ += bytes_of(*at(read_))) {
        const Stack& stack = *at(read_);
        if (static_cast<std::int64_t>(stack.when + kInexact - when) < 0) continue; // of an earlier sample
        if (stack.leaf != address || stack.when > when + kLatest) return nullptr;  // perhaps of a later one
        read_ += bytes_of(stack);
        return &stack;
    }
    return nullptr;
}

SampleStacks::Number SampleStacks::number(const Stack& stack) {
    std::uint64_t slot = stack.digest >> 20;
    for (; known_[slot % kKnown].id != 0; ++slot)
        if (known_[slot % kKnown].digest == stack.digest) return {known_[slot % kKnown].id, false};
    if (known_count_ >= kKnown / 4 * 3) {
        std::fill_n(known_, kKnown, Known{});
        known_count_ = 0;
    }
    while (known_[slot % kKnown].id != 0)
        ++slot;
    known_[slot % kKnown] = {stack.digest, ++last_id_};
    ++known_count_;
    return {last_id_, true};
}

void SampleStacks::forget_what_is_written() {
    std::fill_n(known_, kKnown, Known{});
    known_count_ = codes_written_ = 0;
}

} // namespace teff::probe::trace
