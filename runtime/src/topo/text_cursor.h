// SPDX-License-Identifier: Apache-2.0
//
// TextCursor: a position in a text that describes places or processors, and the problem that was
// found there. The readers of such texts (place_text.cpp, hardware_subset.cpp) are derived from it.
// All functions that return bool return false if what they look for is not there; `fail`,
// `fail_at`, `take` and `take_number` then also note the problem.
#pragma once

#include <string_view>

#include "topo/processor_set.h"

namespace teff::topo {

struct TextProblem {
    const char* expected = nullptr; // what the parser expected at the offset; null: no problem
    std::size_t at = 0;             // the offset of the wrong character in the text
};

class TextCursor {
  public:
    // `blanks`: the characters that may stand between the parts of the text.
    TextCursor(std::string_view text, std::string_view blanks) : text_(text), blanks_(blanks) {}

    TextProblem problem() const { return problem_; }

  protected:
    bool fail(const char* expected) {
        problem_ = {expected, at_};
        return false;
    }
    bool fail_at(std::size_t at, const char* expected) {
        at_ = at;
        return fail(expected);
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    bool is_blank(char c) const { return c != '\0' && blanks_.find(c) != std::string_view::npos; }

    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    // The next character that is not blank; zero at the end.
    char peek() {
        while (is_blank(here()))
            ++at_;
        return here();
    }
    bool at_end() { return peek() == '\0'; }
    bool take_if(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }
    bool take(char wanted, const char* expected) { return take_if(wanted) || fail(expected); }

    // A number from `least` to below ProcessorSet::kCapacity, which bounds all that is counted.
    bool take_number(unsigned& value, const char* expected, unsigned least = 0) {
        if (!is_digit(peek())) return fail(expected);
        const std::size_t begin = at_;
        for (value = 0; is_digit(here()); ++at_) {
            value = value * 10 + static_cast<unsigned>(here() - '0');
            if (value >= ProcessorSet::kCapacity) return fail_at(begin, expected);
        }
        return value >= least || fail_at(begin, expected);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    TextProblem problem_;

  private:
    std::string_view blanks_;
};

} // namespace teff::topo
