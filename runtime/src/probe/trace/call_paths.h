// SPDX-License-Identifier: Apache-2.0
//
// CallPaths: the calls by which the program reached a construct, for one stream. A stream has one
// only if call paths are asked for (TEFF_TRACE_CALL_PATHS), and otherwise pays nothing.
//
// A path has the return addresses from the construct's function outwards, up to where the task's
// own code ends: at the first frame of this library (a task, or a member of a region, that the
// library has called), at the bottom of the stack, where a frame's caller cannot be told
// (frame_rules.h), or at the depth that was asked for. Who reads the recording goes on with the
// path of the task's creation; so tasks are cheap, whatever stack they run on.
//
// It is in a mapping of its own, which forked children do not have. The stream's own thread uses
// it, one call at a time: the caller keeps out signal handlers that come in between
// (stream_sites.cpp). It takes no lock and allocates no memory. It reads the calling thread's
// stack, at the places where the rules say that a return address or a saved %rbp is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "probe/trace/frame_rules.h"
#include "probe/trace/python_lines.h"
#include "probe/trace/readable_stack.h"
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

    // Null: there is no memory, or no way to find objects without a lock.
    [[nodiscard]] static CallPaths* make(unsigned depth);
    static void unmake(CallPaths* paths);

    // The path above the call of the runtime that returns to `call_site`, which runs `function`.
    // `round`: objects may have come or gone since it was another one.
    Path walk(const void* call_site, const void* function, std::uint32_t round);
    // The same without frames, and without a look at the stack.
    Path without_frames(const void* call_site, const void* function, std::uint32_t round);
    // Stands for all paths to a construct that are not kept, as there are too many.
    Path cut(const void* call_site, const void* function, std::uint32_t round);
    // Of the path that was walked last. Its module is for who calls to fill in.
    teff_path_frame& frame(std::uint32_t which) { return frames_[which]; }

    // Which site a path has been given, with its construct. 0: none so far.
    std::uint32_t find(const void* call_site, const void* function, const Path& path) const;
    // False: there are too many. Then what stands for all further paths to a construct is kept
    // still, while there is space for that; after it, what stands for all further constructs.
    bool has_room() const { return known_ < kSites / 4 * 3; }
    bool has_space() const { return known_ < kSites - 2; }
    void add(const void* call_site, const void* function, const Path& path, std::uint32_t site);

    // The lines of Python that the path which was walked last has come from, if it has: from here
    // on they are part of it.
    void read_python(Path& path);
    const PythonLines& python() const { return python_; }

    // For tests: what counts as this library's code.
    void take_for_own(std::uintptr_t begin, std::uintptr_t end) { own_begin_ = begin, own_end_ = end; }

  private:
    // A loaded object.
    struct Object {
        std::uintptr_t begin, end;
        const void* tables;
        std::uint64_t identity;
        std::uint32_t round; // it was there; 0: another one lies there now
    };
    struct KnownRule {
        std::uintptr_t address; // 0: free
        FrameRule rule;
        std::uint32_t object;
    };
    struct Site {
        const void* call_site;
        const void* function;
        std::uint64_t digest;
        std::uint32_t site; // 0: free
    };
    struct Registers {
        std::uintptr_t code, stack, frame;
    };
    static constexpr std::uint32_t kObjects = 256, kRules = 8192, kSites = 2048;

    CallPaths() = default;

    bool is_own(std::uintptr_t address) const { return address >= own_begin_ && address < own_end_; }
    const Object* object_of(std::uintptr_t address);
    Object* find_object(std::uintptr_t address);
    bool is_still_there(Object& object, std::uintptr_t address);
    Object* object_named(std::uint64_t identity);
    Object* add_object(std::uintptr_t address);
    void forget();
    KnownRule& slot_of_rule(std::uintptr_t return_address);
    const KnownRule* rule_of(std::uintptr_t return_address);
    TEFF_COLD const KnownRule* look_for_rule(std::uintptr_t return_address);
    bool go_to_caller(Registers& registers, const FrameRule& rule);
    bool go_to_call_site(Registers& registers, const void* call_site);
    std::uint64_t digest_of(const void* call_site, const void* function);
    static std::size_t slot_of(const void* call_site, const void* function, std::uint64_t digest);

    std::uint32_t depth_ = 0;
    std::uint32_t round_ = 0;
    std::uint32_t objects_used_ = 0, rules_used_ = 0, known_ = 0;
    std::uintptr_t own_begin_ = 0, own_end_ = 0;
    teff_path_frame frames_[kMostDepth];
    Object objects_[kObjects];
    KnownRule rules_[kRules];
    Site sites_[kSites];
    ReadableStack stack_;
    PythonLines python_;
};

} // namespace teff::probe::trace
