// SPDX-License-Identifier: Apache-2.0
// Doors of the error directive at run time.
#include <cstddef>
#include <cstring>

#include "abi/export.h"
#include "base/report.h"

using namespace teff;

namespace {

// C passes a terminated text and the largest size_t, Fortran a text and its length; no message is a null pointer.
int length(const char* message, std::size_t bytes) {
    if (message == nullptr) return 0;
    return static_cast<int>(bytes == ~std::size_t{0} ? std::strlen(message) : bytes);
}

const char* separator(const char* message) { return message == nullptr ? "" : ": "; }

} // namespace

TEFF_EXPORT void GOMP_warning(const char* message, std::size_t bytes) {
    base::warn("the program's error directive%s%.*s", separator(message), length(message, bytes),
               message == nullptr ? "" : message);
}

TEFF_EXPORT void GOMP_error(const char* message, std::size_t bytes) {
    base::fatal(0, "the program's error directive%s%.*s", separator(message), length(message, bytes),
                message == nullptr ? "" : message);
}
