// SPDX-License-Identifier: Apache-2.0
// What devices change in the internal control variables.
#pragma once

namespace teff::icv {

// Says that target regions have devices. Device 0 is then the default with
// OMP_TARGET_OFFLOAD=mandatory, too. May be called only in the library's constructor, after
// `initialise`, and after set_defaults.
void have_devices();

} // namespace teff::icv
