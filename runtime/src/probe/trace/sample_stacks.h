// SPDX-License-Identifier: Apache-2.0
//
// SampleStacks: the calls by which one thread got where samples found it.
//
// With each sample of the thread (sample_ring.h) the kernel sends it a signal (sample_signal.h).
// The signal's handler calls `take`, which walks the interrupted stack and keeps what it finds in
// this object. Later the thread itself takes the kernel's samples out of their ring, and asks
// `match` for the stack of each. So the handler never touches the stream, which it may have
// interrupted in the middle of a record.
//
// Who does what:
//
//     take                 the handler, on the thread itself, with all signals blocked
//     match, number, ...   the thread, with all signals blocked, so that no handler runs meanwhile
//
// Both run on the same thread, one after the other. So the fields need no atomics.
//
// A stack has the return addresses from the sampled function's caller outwards; the sampled address
// is the sample's. Frames of this library are left out at the inner end; behind them, a stack ends
// at the next frame of this library, which called the code of a task or of a region's member. Then
// the frames of Python follow (python_frames.h).
//
// A stack that does not fit before the next drain is left out, and its sample has none. A sample
// also has none if the thread had the signal blocked: `match` takes a stack for a sample only if
// both were taken at the same instruction. Equal stacks are written once: `number` knows their
// digests.
//
// A SampleStacks lies in a mapping of its own, which a forked child finds all zero: then `take`
// does nothing. `make` is the only method that allocates memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "probe/trace/frame_walker.h"
#include "probe/trace/python_frames.h"
#include "teff_trace.h"

namespace teff::probe::trace {

class SampleStacks {
  public:
    using Ticks = base::Ticks;
    static constexpr std::uint32_t kMostDepth = 64;

    // As `take` stores it; its frames follow it in memory.
    struct Stack {
        Ticks when;
        std::uintptr_t leaf; // the instruction at which the thread was
        std::uint64_t digest;
        std::uint32_t frames; // native ones: a return address each
        std::uint16_t python; // of Python: two words each
        std::uint8_t flags;   // of STACK
    };
    struct Number {
        std::uint32_t id; // from 1
        bool is_new;      // it has to be written
    };

    // Returns null if there is no memory, or if objects cannot be found without a lock.
    [[nodiscard]] static SampleStacks* make();
    static void unmake(SampleStacks* stacks);

    // Takes the stack at which a signal has interrupted the thread. `context`: of the handler.
    void take(const void* context);

    // Returns the stack of the sample that was taken at `when`, at the address; null if there is
    // none. The samples must be passed in order.
    const Stack* match(Ticks when, std::uintptr_t address);
    // All stacks that were taken so far are behind the samples that were passed to `match`.
    void clear() { used_ = read_ = 0; }

    Number number(const Stack& stack);
    // Memory for the frames of one stack while the stream writes them: the program's stack may have
    // no space for them.
    teff_stack_frame* frames_to_write() { return frames_to_write_; }
    static std::uint64_t word(const Stack& stack, std::uint32_t which) {
        return reinterpret_cast<const std::uint64_t*>(&stack + 1)[which];
    }
    static PythonFrames::Frame python(const Stack& stack, std::uint32_t which);

    // Calls `write` with the number and text of each code of Python that was not written yet.
    template <class Write> void write_codes(Write&& write) {
        while (codes_written_ < python_.codes()) {
            ++codes_written_;
            write(codes_written_, python_.code(codes_written_));
        }
    }
    // Nothing counts as written any more.
    void forget_what_is_written();

    // For tests only: as CallPaths::take_for_own.
    void take_for_own(std::uintptr_t begin, std::uintptr_t end) { own_begin_ = begin, own_end_ = end; }

  private:
    static constexpr std::size_t kBufferBytes = 4 << 20; // of which pages are used as they are needed
    static constexpr std::uint32_t kKnown = 8192;
    // The time of a sample is known as exactly as this. Its signal comes this long after it at
    // most, if the thread loses its processor in between.
    static constexpr Ticks kInexact = 100'000, kLatest = 250'000'000;
    struct Known {
        std::uint64_t digest;
        std::uint32_t id; // 0: the entry is free
    };

    SampleStacks() = default;
    bool is_own(std::uintptr_t address) const { return address >= own_begin_ && address < own_end_; }
    void walk(Stack& stack, FrameWalker::Registers registers, std::uint64_t* frames);
    void add_python(Stack& stack, std::uint64_t* words);
    Stack* at(std::size_t offset) { return reinterpret_cast<Stack*>(buffer_ + offset); }
    static std::size_t bytes_of(const Stack& stack);

    // Counts the walks: the program may load and unload objects between any two of them. 0: in a
    // forked child.
    std::uint32_t round_ = 1;
    std::uintptr_t own_begin_ = 0, own_end_ = 0;
    std::size_t used_ = 0, read_ = 0; // bytes of the buffer
    std::uint32_t last_id_ = 0, known_count_ = 0, codes_written_ = 0;
    Known known_[kKnown];
    PythonFrames python_;
    PythonFrames::Frame python_frames_[PythonFrames::kMostFrames];
    teff_stack_frame frames_to_write_[kMostDepth + PythonFrames::kMostFrames];
    FrameWalker walker_;
    alignas(Stack) char buffer_[kBufferBytes];
};

} // namespace teff::probe::trace
