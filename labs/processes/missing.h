// SPDX-License-Identifier: Apache-2.0
// What cannot work in processes that share nothing, or does not yet: met by a clear end.
#pragma once

namespace teff::processes {

// Ends the run; `construct` as a programmer knows it.
[[noreturn, gnu::cold]] void missing(const char* construct);

} // namespace teff::processes
