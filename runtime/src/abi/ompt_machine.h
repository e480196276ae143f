// SPDX-License-Identifier: Apache-2.0
// What the tool interface asks the layers above it.
#pragma once

namespace teff::abi {

// Called once by the library's constructor.
void initialise_tool_inquiries();

} // namespace teff::abi
