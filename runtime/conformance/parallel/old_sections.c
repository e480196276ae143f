// SPDX-License-Identifier: Apache-2.0
//
// Tests parallel sections as GCC 4.8 and older emitted them.
#include "check.h"

enum { SECTIONS = 5 };

void GOMP_parallel_end(void);
void GOMP_parallel_sections_start(void (*)(void*), void*, unsigned threads, unsigned sections);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

static int hits[SECTIONS + 1];

static void body(void* data) {
    (void)data;
    for (unsigned section; (section = GOMP_sections_next()) != 0;) {
        CHECK(section <= SECTIONS);
        __atomic_fetch_add(&hits[section], 1, __ATOMIC_RELAXED);
    }
    GOMP_sections_end_nowait();
}

int main(void) {
    for (unsigned threads = 0; threads < 8; threads++) {
        memset(hits, 0, sizeof hits);
        GOMP_parallel_sections_start(body, NULL, threads, SECTIONS);
        body(NULL);
        GOMP_parallel_end();
        for (int i = 1; i <= SECTIONS; i++)
            CHECK_EQ(hits[i], 1);
    }
}
