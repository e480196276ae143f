// SPDX-License-Identifier: Apache-2.0
//
// FrameWalker: goes from a function's frame to its caller's, by the tables of the loaded objects
// (frame_rules.h), and remembers the rules of the return addresses that it has met.
//
// A FrameWalker is used by one thread, on its own stack, and its walks do not nest. An all-zero
// object is valid and knows nothing. No method takes a lock, allocates memory or changes errno, so
// a signal handler may walk with a FrameWalker that nothing else uses. A walk reads the stack only
// where the rules say that a return address or a saved %rbp is, and where the kernel says that the
// page can be read (readable_stack.h).
#pragma once

#include <cstdint>

#include "base/arch/arch.h"
#include "base/cache_line.h"
#include "probe/trace/frame_rules.h"
#include "probe/trace/readable_stack.h"
#include "probe/trace/site_table.h"

namespace teff::probe::trace {

class FrameWalker {
  public:
    using Registers = base::arch::FrameRegisters;

    // A loaded object.
    struct Object {
        std::uintptr_t begin, end;
        const void* tables;
        std::uint64_t identity;
        std::uint32_t round; // in which it was found last; 0: another object lies there now
    };
    struct KnownRule {
        std::uintptr_t address; // a return address; 0: the entry is free
        FrameRule rule;
        std::uint32_t object;
    };

    // `round` is SiteTable::round: when it has changed, objects may have been loaded or unloaded.
    void set_round(std::uint32_t round) { round_ = round; }
    // Begins a walk. `stack` is the stack pointer.
    void begin(std::uintptr_t stack, std::uint32_t round) {
        set_round(round);
        stack_.begin(stack);
    }
    // The same, where a signal has interrupted the thread.
    void begin_interrupted(std::uintptr_t stack, std::uint32_t round) {
        set_round(round);
        stack_.begin_interrupted(stack);
    }

    // Returns the object that covers the address, or null.
    const Object* object_of(std::uintptr_t address);
    // Returns the rule for the function that was called before the return address; null if the
    // address lies in no object. For an instruction that is not a return address, pass its address
    // plus 1. The result is valid until the next call.
    const KnownRule* rule_of(std::uintptr_t return_address);
    std::uint64_t identity_of(const KnownRule& known) const { return objects_[known.object].identity; }
    // Returns false if there is no caller, or if it cannot be determined.
    bool go_to_caller(Registers& registers, const FrameRule& rule);

  private:
    static constexpr std::uint32_t kObjects = 256, kRules = 8192;

    Object* find_object(std::uintptr_t address);
    bool is_still_there(Object& object, std::uintptr_t address);
    Object* object_named(std::uint64_t identity);
    Object* add_object(std::uintptr_t address);
    void forget();
    KnownRule& slot_of_rule(std::uintptr_t return_address);
    TEFF_COLD const KnownRule* look_for_rule(std::uintptr_t return_address);

    std::uint32_t round_;
    std::uint32_t objects_used_, rules_used_;
    Object objects_[kObjects];
    KnownRule rules_[kRules];
    ReadableStack stack_;
};

} // namespace teff::probe::trace
