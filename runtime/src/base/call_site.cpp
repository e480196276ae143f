// SPDX-License-Identifier: Apache-2.0
#include "base/call_site.h"

namespace teff::base {

constinit Diversion diversion{.at = &diversion, .undiverted = nullptr}; // no call returns to this variable's address

} // namespace teff::base
