// SPDX-License-Identifier: Apache-2.0
// The one table of knobs. The parser of the environment, OMP_DISPLAY_ENV and docs/knobs.md all come
// from it: a knob that is not in the table does not exist. It is constant; any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "icv/icv.h"

namespace teff::icv {

// When OMP_DISPLAY_ENV shows a knob.
enum class Shown : std::uint8_t { always, verbose, never };

enum class Variants : std::uint8_t {
    none,
    by_device, // its ICV is not the process's alone, so there are OMP_..._ALL, _DEV and _DEV_n; see environment.h
};

enum class Privileged : std::uint8_t {
    accepted,
    ignored, // a program that runs with more rights than its caller must not write or load what the caller names
};

struct Knob {
    // Puts the value into the ICVs and returns true, or returns false and leaves them as they are.
    using Read = bool (*)(const Knob&, std::string_view text, GlobalIcvs&);
    using Print = void (*)(std::FILE*, const GlobalIcvs&);
    struct Access {
        Read read;
        Print print;
    };
    // Of a number, or of a text's length; both ends included. All zeros: no range applies.
    struct Range {
        std::uint64_t low;
        std::uint64_t high;
    };

    std::string_view name;
    Access access;
    std::string_view form; // completes "expected ..."
    Range range = {};
    std::string_view unit = {};
    std::string_view default_value = {}; // as the user would write it; empty: the member stays all zeros
    std::string_view default_words = {}; // what an empty default_value comes to
    std::string_view meaning;
    std::string_view trade_off;
    Shown shown = Shown::always;
    Privileged privileged = Privileged::accepted;
    Variants variants = Variants::none;
};

// How many knobs the arrays hold that run beside the table.
inline constexpr std::size_t kKnobCapacity = 64;

// In the order in which OMP_DISPLAY_ENV prints them, which is libgomp's.
std::span<const Knob> knobs();

} // namespace teff::icv
