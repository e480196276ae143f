// SPDX-License-Identifier: Apache-2.0
//
// firstprivate data of 100 bytes, 4 KiB and 1 MiB is copied when the task is created.
#include "check.h"

#define CHECK_SIZE(size, tasks)                                                                                        \
    do {                                                                                                               \
        struct {                                                                                                       \
            unsigned char bytes[size];                                                                                 \
        } data;                                                                                                        \
        for (int i = 0; i < tasks; i++) {                                                                              \
            memset(data.bytes, i + 1, size);                                                                           \
            _Pragma("omp task firstprivate(data, i)") {                                                                \
                for (int at = 0; at < size; at += size / 50)                                                           \
                    CHECK_EQ(data.bytes[at], (unsigned char)(i + 1));                                                  \
                CHECK_EQ(data.bytes[size - 1], (unsigned char)(i + 1));                                                \
                memset(data.bytes, 0xFF, size);                                                                        \
                done_here(&done);                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static void done_here(int* done) { __atomic_fetch_add(done, 1, __ATOMIC_RELAXED); }

int main(void) {
    int done = 0;
#pragma omp parallel
#pragma omp single
    {
        CHECK_SIZE(100, 300);
        CHECK_SIZE(4096, 100);
        CHECK_SIZE(1048576, 10);
    }
    CHECK_EQ(done, 410);
}
