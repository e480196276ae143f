// SPDX-License-Identifier: Apache-2.0
#include "probe/probes.h"

namespace teff::probe {

constinit std::atomic<std::uint8_t> lock_listeners{kOmpt};

} // namespace teff::probe
