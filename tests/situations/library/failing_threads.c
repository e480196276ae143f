// SPDX-License-Identifier: Apache-2.0
//
// A library to preload: with FAULTS_THREADS=n the first n threads can be created, and all later
// ones fail, as at the limit of a user or a control group.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long created;

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    const char* limit = getenv("FAULTS_THREADS");
    if (limit && atomic_fetch_add(&created, 1) >= atol(limit)) return EAGAIN;
    if (!next) next = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
    return next(thread, attributes, start, argument);
}
