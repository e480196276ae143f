// SPDX-License-Identifier: Apache-2.0
//
// A library to load before the runtime. Whenever recv with MSG_PEEK finds data in a socket, the
// library delays the return by 2 ms, so that signals arrive between this call and the read that
// follows.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>

static long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

ssize_t recv(int socket, void* buffer, size_t bytes, int flags) {
    static ssize_t (*real)(int, void*, size_t, int);
    if (real == NULL) real = (ssize_t(*)(int, void*, size_t, int))dlsym(RTLD_NEXT, "recv");
    const ssize_t result = real(socket, buffer, bytes, flags);
    if (result > 0 && (flags & MSG_PEEK) != 0)
        for (const long until = now_ns() + 2000000; now_ns() < until;) {}
    return result;
}
