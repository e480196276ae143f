// SPDX-License-Identifier: Apache-2.0
//
// Parses the arguments of ./run machines, and refuses wrong arguments with a message that says
// where to find help. Only the programs of ./run machines may use these functions, because the
// functions may end the process.
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
