// SPDX-License-Identifier: Apache-2.0
//
// A sampling tool: a thread of its own interrupts every OpenMP thread over and over; the signal's
// handler asks the runtime for the thread's state, task and region, and compares the answers with
// the place where the thread was interrupted.

#ifndef OMPT_TEST_SAMPLER_H
#define OMPT_TEST_SAMPLER_H

// Were enough samples taken in serial code, in code of regions and tasks, and in the runtime?
int sampler_has_serial(void);
int sampler_has_parallel(void);
// Stops sampling, and says what was wrong. The number of kinds of fault.
int sampler_end(void);

#endif
