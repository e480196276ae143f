// SPDX-License-Identifier: Apache-2.0
// The operations that depend on the processor architecture, for the architecture of this build.
// Each architecture has a file with the same functions and the same constants.
#pragma once

#if defined(__x86_64__)
#include "base/arch/x86_64.h"
#elif defined(__aarch64__)
#include "base/arch/aarch64.h"
#else
#error "the runtime is for x86-64 and AArch64"
#endif
