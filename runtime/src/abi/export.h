// SPDX-License-Identifier: Apache-2.0
// How the library's doors are marked. Every exported symbol has one written-out definition, which translates its arguments and calls the core.
#pragma once

#define TEFF_EXPORT extern "C" [[gnu::visibility("default")]]

// The address in the program's code to which the exported function's call returns: the site of the construct.
#define TEFF_SITE __builtin_return_address(0)
