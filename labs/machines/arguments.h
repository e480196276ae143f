// SPDX-License-Identifier: Apache-2.0
//
// Arguments of ./run machines: numbers, and refusals that say where help is. For its programs
// alone: they end the process.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace teff::machine {

[[noreturn]] inline void refuse(const char* what, const char* argument) {
    std::fprintf(stderr, "machines: %s '%s'; ./run machines --help tells what it knows\n", what, argument);
    std::exit(2);
}

inline unsigned number_of(const char* text, const char* refusal) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (value == 0 || value > 1000 || *end != '\0') refuse(refusal, text);
    return static_cast<unsigned>(value);
}

} // namespace teff::machine
