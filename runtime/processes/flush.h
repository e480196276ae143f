// SPDX-License-Identifier: Apache-2.0
// A flush by itself: hands one's changes over and takes over those of others.
#pragma once

namespace teff::processes {

void flush();
// Only where others might read or write meanwhile: in a region of several processes. Whether it
// was.
bool flush_if_shared();

} // namespace teff::processes
