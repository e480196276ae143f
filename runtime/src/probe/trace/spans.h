// SPDX-License-Identifier: Apache-2.0
//
// Spans: the named spans of one thread (teff_span_begin), as its stream knows them: the names that
// were used, and the spans that are open now.
//
// A Spans lies in a mapping of its own, which is made at the thread's first span. Only the stream's
// thread uses it. Names are kept as text, so that a program may change or free what it passed. A
// thread distinguishes kNames names; all further names have the number 0. Spans that are nested
// deeper than kDepth are counted, so that each end finds its begin, and have no records.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teff::probe::trace {

class Spans {
  public:
    static constexpr std::uint32_t kNames = 256, kDepth = 64;
    static constexpr std::size_t kNameBytes = 64; // a longer name is cut, at the end of a character of UTF-8

    // Returns null if there is no memory.
    [[nodiscard]] static Spans* make();

    // Returns the number of the name, from 1 on; 0 if there are too many names.
    std::uint32_t number_of(const char* name);

    struct Name {
        char text[kNameBytes];
        std::uint32_t bytes; // 0: not used yet
        bool is_told;        // the stream has a record of the name
    };
    Name& name(std::uint32_t number) { return names_[number - 1]; }
    void forget_what_is_told();

    // `open` opens a span, and returns false if it is nested too deep. `close` closes the innermost
    // span, and returns false if none is open or if that one is nested too deep.
    bool open(std::uint32_t name);
    bool close(std::uint32_t& name);
    // The number of open spans, without those that are nested too deep; and the name of each, from
    // the outermost on.
    std::uint32_t depth() const { return depth_ < kDepth ? depth_ : kDepth; }
    std::uint32_t name_at(std::uint32_t depth) const { return open_[depth]; }

  private:
    Spans() = default;

    Name names_[kNames] = {};
    std::uint32_t used_ = 0; // of the names
    std::uint32_t open_[kDepth] = {};
    std::uint32_t depth_ = 0;
};

} // namespace teff::probe::trace
