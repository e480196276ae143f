// SPDX-License-Identifier: Apache-2.0
// How a knob reads and prints its member of GlobalIcvs. There is one Knob::Access per type of
// value; the table in knobs.cpp uses them.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "icv/escape.h"
#include "icv/knobs.h"
#include "icv/parse.h"

namespace teff::icv::access {

inline void print_text(std::FILE* out, std::string_view text) {
    std::fprintf(out, "%.*s", static_cast<int>(text.size()), text.data());
}

// Stores a parser's result in the member, converted to the member's type, which may be an optional.
// Returns false, and stores nothing, if the parser has returned nothing.
template <auto Member, class T> bool store(GlobalIcvs& icvs, const std::optional<T>& value) {
    if (value) icvs.*Member = static_cast<std::remove_reference_t<decltype(icvs.*Member)>>(*value);
    return value.has_value();
}

template <auto Member> bool read_boolean(const Knob&, std::string_view text, GlobalIcvs& icvs) {
    // libomp accepts all these spellings, the specification the first two.
    static constexpr parse::Word<bool> kWords[] = {{"true", true},   {"false", false},   {"1", true},  {"0", false},
                                                   {"yes", true},    {"no", false},      {"on", true}, {"off", false},
                                                   {".true.", true}, {".false.", false}, {"t", true},  {"f", false}};
    return store<Member>(icvs, parse::word<bool>(text, kWords));
}

template <auto Member>
inline constexpr Knob::Access boolean = {
    read_boolean<Member>,
    [](std::FILE* out, const GlobalIcvs& icvs) { std::fputs(icvs.*Member ? "TRUE" : "FALSE", out); },
};

template <auto Member> void print_integer(std::FILE* out, const GlobalIcvs& icvs) {
    std::fprintf(out, "%" PRIu64, static_cast<std::uint64_t>(icvs.*Member));
}

template <auto Member> bool read_integer(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return store<Member>(icvs, parse::integer(text, knob.range.low, knob.range.high));
}

template <auto Member> inline constexpr Knob::Access integer = {read_integer<Member>, print_integer<Member>};

template <auto Member>
inline constexpr Knob::Access power_of_two = {
    [](const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
        return store<Member>(icvs, parse::power_of_two(text, knob.range.low, knob.range.high));
    },
    print_integer<Member>,
};

template <auto Member> bool read_size(const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
    return store<Member>(icvs, parse::size_in_bytes(text, knob.range.low, knob.range.high));
}

// `Words` is an array of parse::Word. The first spelling of a value is printed.
template <auto Member, const auto& Words>
inline constexpr Knob::Access word = {
    [](const Knob&, std::string_view text, GlobalIcvs& icvs) {
        using Value = decltype(Words[0].value);
        return store<Member>(icvs, parse::word<std::remove_const_t<Value>>(text, Words));
    },
    [](std::FILE* out, const GlobalIcvs& icvs) {
        for (const auto& candidate : Words)
            if (candidate.value == icvs.*Member) return print_text(out, candidate.spelling);
    },
};

// `Names` is an array of texts. The member's value is an index into `Names`.
template <auto Member, const auto& Names>
inline constexpr Knob::Access one_of = {
    [](const Knob&, std::string_view text, GlobalIcvs& icvs) {
        for (unsigned number = 0; number < std::size(Names); ++number)
            if (parse::equals_ignoring_case(parse::trim(text), Names[number]))
                return store<Member>(icvs, std::optional(number));
        return false;
    },
    [](std::FILE* out, const GlobalIcvs& icvs) { print_text(out, Names[icvs.*Member]); },
};

template <auto Member> void print_escaped(std::FILE* out, const GlobalIcvs& icvs) { write_escaped(out, icvs.*Member); }

// Text other than paths and formats: printable ASCII characters only.
template <auto Member>
inline constexpr Knob::Access plain_text = {
    [](const Knob&, std::string_view text, GlobalIcvs& icvs) { return store<Member>(icvs, parse::plain_text(text)); },
    print_escaped<Member>,
};

// Paths and formats: any bytes, including blanks. The knob's range limits the length.
template <auto Member>
inline constexpr Knob::Access any_text = {
    [](const Knob& knob, std::string_view text, GlobalIcvs& icvs) {
        if (text.size() < knob.range.low || text.size() > knob.range.high) return false;
        icvs.*Member = text;
        return true;
    },
    print_escaped<Member>,
};

} // namespace teff::icv::access
