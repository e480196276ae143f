// SPDX-License-Identifier: Apache-2.0
//
// CallPaths: the calls by which the program reached a construct, for one stream. A stream has a
// CallPaths only if call paths are asked for (TEFF_TRACE_CALL_PATHS), and otherwise has no cost.
//
// A path has the return addresses from the construct's function outwards. The path ends at the
// first frame of this library (which called the code of a task or of a region's member), at the
// bottom of the stack, at a frame whose caller cannot be determined (frame_rules.h), or at the
// depth that was asked for. A reader of the recording continues with the path of the task's
// creation. So a task costs little, whatever stack it runs on.
//
// A CallPaths lies in a mapping of its own, which a forked child finds all zero. Only the stream's
// own thread uses it, and its calls do not nest: a signal handler that interrupts a call makes no
// other call (stream_sites.cpp sees to that). No method takes a lock, and only `make` allocates
// memory. A walk reads the calling thread's stack where the rules say that a return address or a
// saved %rbp is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arch/arch.h"
#include "base/cache_line.h"
#include "probe/trace/frame_walker.h"
#include "probe/trace/python_lines.h"
#include "teff_trace.h"

namespace teff::probe::trace {

class CallPaths {
  public:
    static constexpr unsigned kMostDepth = 128;

    struct Path {
        std::uint64_t digest;
        std::uint32_t frames;
        std::uint8_t flags; // of CALL_PATH
    };

    // Returns null if there is no memory, or if objects cannot be found without a lock.
    [[nodiscard]] static CallPaths* make(unsigned depth);
    static void unmake(CallPaths* paths);

    // Returns the path above the runtime's call that returns to `call_site` and runs `function`.
    // `round` is SiteTable::round: when it has changed, objects may have been loaded or unloaded.
    Path walk(const void* call_site, const void* function, std::uint32_t round);
    // Returns a path without frames; does not read the stack.
    Path without_frames(const void* call_site, const void* function, std::uint32_t round);
    // Returns the path that stands for all paths to a construct that are not kept because there are
    // too many.
    Path cut(const void* call_site, const void* function, std::uint32_t round);
    // Returns a frame of the path that was walked last. The caller fills in the frame's module.
    teff_path_frame& frame(std::uint32_t which) { return frames_[which]; }

    // Returns the site of a construct with this path, or 0 if there is none so far.
    std::uint32_t find(const void* call_site, const void* function, const Path& path) const;
    // `has_room` returns false if there are too many sites to keep a further path. After that, the
    // `cut` path of a construct, which stands for all its further paths, is kept while `has_space`
    // returns true. At last, one path that stands for all further constructs is kept.
    bool has_room() const { return known_ < kSites / 4 * 3; }
    bool has_space() const { return known_ < kSites - 2; }
    void add(const void* call_site, const void* function, const Path& path, std::uint32_t site);
    // Forgets all sites; they are new when they are met next.
    void forget_sites();

    // Reads the lines of Python that called the path which was walked last, if there are any, and
    // makes them part of the path.
    void read_python(Path& path);
    const PythonLines& python() const { return python_; }

    // For tests only: sets the addresses that count as this library's code.
    void take_for_own(std::uintptr_t begin, std::uintptr_t end) { own_begin_ = begin, own_end_ = end; }

  private:
    struct Site {
        const void* call_site;
        const void* function;
        std::uint64_t digest;
        std::uint32_t site; // 0: the entry is free
    };
    using Registers = FrameWalker::Registers;
    using KnownRule = FrameWalker::KnownRule;
    static constexpr std::uint32_t kSites = 2048;

    CallPaths() = default;

    bool is_own(std::uintptr_t address) const { return address >= own_begin_ && address < own_end_; }
    bool go_to_call_site(Registers& registers, const void* call_site);
    std::uint64_t digest_of(const void* call_site, const void* function);
    static std::size_t slot_of(const void* call_site, const void* function, std::uint64_t digest);

    std::uint32_t depth_ = 0;
    std::uint32_t known_ = 0;
    std::uintptr_t own_begin_ = 0, own_end_ = 0;
    teff_path_frame frames_[kMostDepth];
    Site sites_[kSites];
    FrameWalker walker_;
    PythonLines python_;
};

} // namespace teff::probe::trace
