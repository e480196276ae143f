// SPDX-License-Identifier: Apache-2.0
// The table of all knobs. The parser of the environment, OMP_DISPLAY_ENV and docs/knobs.md are all
// made from this table: a knob that is not in the table does not exist. The table is constant; any
// thread may read it.
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
    by_device, // devices have the ICV, too, so OMP_..._ALL, _DEV and _DEV_n exist: environment.h
};

enum class Privileged : std::uint8_t {
    accepted,
    ignored, // a program with more rights than its caller must not write or load files that the caller names
};

struct Knob {
    // Stores the value in the ICVs and returns true. If the text is not valid, returns false and
    // leaves the ICVs unchanged.
    using Read = bool (*)(const Knob&, std::string_view text, GlobalIcvs&);
    using Print = void (*)(std::FILE*, const GlobalIcvs&);
    struct Access {
        Read read;
        Print print;
    };
    // The limits of a number, or of the length of a text in bytes; both limits are allowed values.
    // If both limits are 0, no range applies.
    struct Range {
        std::uint64_t low;
        std::uint64_t high;
    };

    std::string_view name;
    Access access;
    std::string_view form; // completes the message "expected ..."
    Range range = {};
    std::string_view unit = {};
    std::string_view default_value = {}; // as the user would write it; empty: the ICV stays zero
    std::string_view default_words = {}; // if default_value is empty: what the default is, in words
    std::string_view meaning;
    std::string_view trade_off;
    Shown shown = Shown::always;
    Privileged privileged = Privileged::accepted;
    Variants variants = Variants::none;
};

// The size of the arrays that have an element for each knob of the table; at least the number of
// knobs.
inline constexpr std::size_t kKnobCapacity = 80;

// Returns the knobs in the order in which OMP_DISPLAY_ENV prints them, which is libgomp's order.
std::span<const Knob> knobs();

} // namespace teff::icv
