// SPDX-License-Identifier: Apache-2.0
//
// CallSite: the place in the program's code that has called the runtime. This place is the site of
// a construct.
//
// A CallSite gives two values: the code address of the construct, and the frame in which the
// program left its own code. On x86-64 a CallSite is a single word: the address of the stack slot
// with the call's return address. Each of the two values is loaded by means of this word, and only
// when it is needed. Both values are valid only until the call returns; code that needs the
// construct's site for longer keeps the code address.
#pragma once

#include <cstdint>

#include "base/arch/arch.h"
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
    static CallSite of_address(const void* const& address) { return CallSite(arch::ReturnPlace::of_address(address)); }

    // Makes a site from the return address and the canonical frame address of the function that the
    // program has called. Used by TEFF_SITE.
    static CallSite of_call(const void* return_address, const void* frame) {
        return CallSite(arch::ReturnPlace::of_call(return_address, frame));
    }

    // Returns the address in the program's code to which the call returns; null if there is no
    // site.
    const void* code() const {
        const void* const code = place_.code();
        return TEFF_LIKELY(code != diversion.at) ? code : diversion.undiverted(place_.slot());
    }

    // Returns the canonical frame address of the runtime's function that the program has called;
    // null if the frame is not known.
    void* frame() const { return place_.frame(); }

  private:
    constexpr explicit CallSite(arch::ReturnPlace place) : place_(place) {}

    arch::ReturnPlace place_;
};

} // namespace teff::base
