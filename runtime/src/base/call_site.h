// SPDX-License-Identifier: Apache-2.0
//
// CallSite: the place in the program's code that has called the runtime, which is the site of a
// construct.
//
// A CallSite holds the address of the stack slot with the call's return address. This single word
// gives two values: the code address of the construct, and the frame in which the program left its
// own code. Each value is loaded only when it is needed. Both are valid only until the call
// returns; code that needs the construct's site for longer keeps the code address.
#pragma once

#include <cstdint>

#include "base/cache_line.h"

namespace teff::base {

// A call that preempt/diversions.h has diverted returns to the code at `at`. `undiverted(slot)`
// returns the address in the program that the slot had before. Set once, before any call is
// diverted.
struct Diversion {
    const void* at = nullptr;
    const void* (*undiverted)(const void* slot) = nullptr;
};
extern constinit Diversion diversion; // call_site.cpp

class CallSite {
  public:
    constexpr CallSite() = default;

    // Makes a site without a frame from a kept code address, for a call that has returned or has
    // never been made. The caller keeps `address`, the variable with the code address, alive as
    // long as the site is used.
    static CallSite of_address(const void* const& address) {
        return CallSite(reinterpret_cast<std::uintptr_t>(&address) | kNoFrame);
    }

    // Makes a site from `frame`, the canonical frame address of the function that the program has
    // called. Used by TEFF_SITE.
    static CallSite of_frame(const void* frame) {
        return CallSite(reinterpret_cast<std::uintptr_t>(frame) - sizeof(void*)); // x86-64: where the call pushes it
    }

    // Returns the address in the program's code to which the call returns; null if there is no
    // site.
    const void* code() const {
        if (slot_ == 0) return nullptr;
        const auto* const slot = reinterpret_cast<const void* const*>(slot_ & ~kNoFrame);
        return TEFF_LIKELY(*slot != diversion.at) ? *slot : diversion.undiverted(slot);
    }

    // Returns the canonical frame address of the runtime's function that the program has called;
    // null if the frame is not known.
    void* frame() const {
        return slot_ == 0 || (slot_ & kNoFrame) != 0 ? nullptr : reinterpret_cast<void*>(slot_ + sizeof(void*));
    }

  private:
    static constexpr std::uintptr_t kNoFrame = 1;

    constexpr explicit CallSite(std::uintptr_t slot) : slot_(slot) {}

    std::uintptr_t slot_ = 0;
};

} // namespace teff::base
