// SPDX-License-Identifier: Apache-2.0
// Tells whether the program may throw C++ exceptions that contexts cannot see.
#pragma once

namespace teff::fiber {

// Returns true if the program's own file has handlers for exceptions, but no C++ library is loaded
// whose record of exceptions contexts could keep: the C++ library was linked into the program, out
// of the runtime's sight. Then no task may leave its stack. Reads the file's table of sections;
// returns false if the file has no such table.
[[nodiscard]] bool exceptions_are_out_of_sight();

} // namespace teff::fiber
