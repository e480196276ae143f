// SPDX-License-Identifier: Apache-2.0
// Finds out whether the program may throw C++ exceptions whose record contexts cannot save.
#pragma once

namespace teff::fiber {

// Returns true if the program's own file has handlers for exceptions, but no C++ library is loaded
// whose record of exceptions contexts could save. In this case the C++ library was linked
// statically into the program, where the runtime does not find the record, and no task may leave
// its stack. Reads the file's table of sections; returns false if the file has no such table.
[[nodiscard]] bool exceptions_are_out_of_sight();

} // namespace teff::fiber
