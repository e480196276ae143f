// SPDX-License-Identifier: Apache-2.0
// The lists that a tool may enumerate: the states of a thread, and the implementations of mutual
// exclusion.
#pragma once

namespace teff::probe::ompt {

// The runtime's only implementation: a word on which waiters first spin and then sleep.
inline constexpr int kFutexMutex = 1;

// As ompt_enumerate_states and ompt_enumerate_mutex_impls: they give the entry after `current`.
// They return 0 if there is none.
int enumerate_states(int current, int* next, const char** name);
int enumerate_mutex_impls(int current, int* next, const char** name);

} // namespace teff::probe::ompt
