// SPDX-License-Identifier: Apache-2.0
// The kernel module is for x86-64 alone: with TEFF_PREEMPT=kernel, threads are asked by signals.
#include <cerrno>

#include "preempt/kernel_source.h"

namespace teff::preempt {

int bind_to_module(Target&) { return -ENOTSUP; }

void unbind_from_module(Target&) {}

const char* explain_module_error(int) { return "it is for x86-64 processors alone"; }

void tell_module_code() {}

void tell_module_stack(Target&, const Stack&) {}

bool start_module_ticks(const Target&, std::uint32_t) { return false; }

void stop_module_ticks(Target&) {}

void forget_module() {}

} // namespace teff::preempt
