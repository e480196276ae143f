// SPDX-License-Identifier: Apache-2.0
// Features that cannot work, or do not work yet, in processes that share no memory. If a program
// uses such a feature, a message says so, and the run ends.
#pragma once

namespace teff::processes {

// Ends the run. `construct` is the construct's name for programmers.
[[noreturn, gnu::cold]] void missing(const char* construct);

} // namespace teff::processes
