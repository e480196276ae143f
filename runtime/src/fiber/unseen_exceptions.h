// SPDX-License-Identifier: Apache-2.0
// Whether the program may throw C++ exceptions that contexts do not see.
#pragma once

namespace teff::fiber {

// The program's own file has handlers for exceptions, but no C++ library is loaded whose record of
// them contexts could keep: it was linked in, out of sight. Then no task may leave its stack. Reads
// the file's table of sections; false if it has none.
[[nodiscard]] bool exceptions_are_out_of_sight();

} // namespace teff::fiber
