// SPDX-License-Identifier: Apache-2.0
// How the library's doors are marked. Every exported symbol has one written-out definition, which
// translates its arguments and calls the core.
#pragma once

#include "base/call_site.h"

#define TEFF_EXPORT extern "C" [[gnu::visibility("default")]]

// Where the program's code has called the exported function: the site of the construct.
#define TEFF_SITE (::teff::base::CallSite::of_frame(__builtin_dwarf_cfa()))
