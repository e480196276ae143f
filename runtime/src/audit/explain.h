// SPDX-License-Identifier: Apache-2.0
//
// What `teff run --explain` prints on standard error: each OpenMP runtime that an object asks for,
// which runtime it gets, and why. The variable _TEFF_EXPLAIN asks for it; it is for `teff run`
// only, so it is no knob.
//
// As all of audit/, this does without a C library: the environment is read from the system's file
// of it. The linker holds its lock during all calls.
#pragma once

#include <link.h>

namespace teff::audit::explain {

// Reads the environment. Called once, before the others.
void begin();

// `asks` asks for the runtime `name`, and gets Teff's file; null: it keeps its own.
void request(const link_map* asks, const char* name, const char* runtime);

// This object, which is not Teff, has been loaded.
void loaded(const link_map* map);

} // namespace teff::audit::explain
