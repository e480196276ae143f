// SPDX-License-Identifier: Apache-2.0
// The C library's pthread_create, which the interposed pthread_create hides from the program.
#pragma once

#include <pthread.h>

namespace teff::processes {

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*));

} // namespace teff::processes
