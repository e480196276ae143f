// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace teff::abi {

// Makes the allocator that OMP_ALLOCATOR describes by traits, if it does. Call once, after
// icv::initialise.
void make_initial_allocator();

} // namespace teff::abi
