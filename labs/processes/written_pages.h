// SPDX-License-Identifier: Apache-2.0
//
// Asks the kernel which pages of a private mapping of a file have been written.
#pragma once

#include <cstdint>

#include "processes/memory_list.h"
#include "processes/modules.h"

namespace teff::processes {

// Appends the written parts of [start, end), by address.
void find_written(std::uintptr_t start, std::uintptr_t end, List<modules::Span>& written);

// Closes the file of the parent process, and opens that of this process.
void reopen_pagemap();

} // namespace teff::processes
