// SPDX-License-Identifier: Apache-2.0
//
// CallSite: where the program's code has called the runtime, which is the site of a construct.
//
// It is the address of the stack slot that holds the call's return address. So one word gives two
// things, each loaded only when it is needed: the code address of the construct, and the frame in
// which the program left its own code. Both are valid only until that call returns; code that needs
// the construct for longer keeps the code address.
#pragma once

#include <cstdint>

namespace teff::base {

class CallSite {
  public:
    constexpr CallSite() = default;

    // The site of a call that has returned, or never was one: a code address without a frame, kept
    // by someone at `address`.
    static CallSite of_address(const void* const& address) {
        return CallSite(reinterpret_cast<std::uintptr_t>(&address) | kNoFrame);
    }

    // For TEFF_SITE: `frame` is the canonical frame address of the function that the program has
    // called.
    static CallSite of_frame(const void* frame) {
        return CallSite(reinterpret_cast<std::uintptr_t>(frame) - sizeof(void*)); // x86-64: the call has pushed it
    }

    // The address in the program's code to which the call returns; null if there is no site.
    const void* code() const { return slot_ == 0 ? nullptr : *reinterpret_cast<const void* const*>(slot_ & ~kNoFrame); }

    // The canonical frame address of the runtime's function that the program has called; null if
    // that is not known.
    void* frame() const {
        return slot_ == 0 || (slot_ & kNoFrame) != 0 ? nullptr : reinterpret_cast<void*>(slot_ + sizeof(void*));
    }

  private:
    static constexpr std::uintptr_t kNoFrame = 1;

    constexpr explicit CallSite(std::uintptr_t slot) : slot_(slot) {}

    std::uintptr_t slot_ = 0;
};

} // namespace teff::base
