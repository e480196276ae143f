// SPDX-License-Identifier: Apache-2.0
//
// This process's own descriptors: they lie at high numbers, where they do not shift those of the
// files that the program opens, and where they are not in a program's way that counts on low ones.
// What closes descriptors for the program leaves them open.
#pragma once

namespace teff::processes::descriptors {

// Moves one there, and keeps it; -1 stays.
int keep(int descriptor);
void close_kept(int descriptor);

bool is_kept(int descriptor);

} // namespace teff::processes::descriptors
