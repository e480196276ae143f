// SPDX-License-Identifier: Apache-2.0
// Macros for the library's entry points, which are its exported functions. Every exported symbol
// has exactly one explicit definition, which translates the arguments and calls the core.
#pragma once

#include "base/call_site.h"

#define TEFF_EXPORT extern "C" [[gnu::visibility("default")]]

// The place where the program's code has called the exported function: the site of the construct.
// Used in the body of the exported function.
#define TEFF_SITE (::teff::base::CallSite::of_call(__builtin_return_address(0), __builtin_dwarf_cfa()))
