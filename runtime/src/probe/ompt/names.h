// SPDX-License-Identifier: Apache-2.0
// The lists that a tool may enumerate: the states of a thread, and the kinds of mutual exclusion.
#pragma once

namespace teff::probe::ompt {

// Our only kind: a word that waiters spin on for a moment and then sleep on.
inline constexpr int kFutexMutex = 1;

// As ompt_enumerate_states and ompt_enumerate_mutex_impls: the entry behind `current`. 0: there is
// none.
int enumerate_states(int current, int* next, const char** name);
int enumerate_mutex_impls(int current, int* next, const char** name);

} // namespace teff::probe::ompt
