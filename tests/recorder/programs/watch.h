// SPDX-License-Identifier: Apache-2.0
// Prints what a program can find out about its process and its threads, a line for each fact:
// "MOMENT WHAT: VALUE".
#pragma once

#include <omp.h>

// How many threads the program and the runtime have by now, apart from the recorder's.
extern int watch_known_threads;

// What the process has, and what the calling thread has.
void watch_process(const char* moment);

// All else, which takes hundreds of system calls.
void watch_surroundings(const char* moment);

// What belongs to the calling thread.
void watch_thread(const char* moment);

// How many there were, by whomever.
long count_allocations(void);
