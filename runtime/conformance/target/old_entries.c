// SPDX-License-Identifier: Apache-2.0
//
// Tests the entry points for target and teams that GCC 4.9 calls: without a device they call the
// host's version of the body.
#include "check.h"

void GOMP_target(int device, void (*body)(void*), const void* unused, size_t count, void** addresses, size_t* sizes,
                 unsigned char* kinds);
void GOMP_target_data(int device, const void* unused, size_t count, void** addresses, size_t* sizes,
                      unsigned char* kinds);
void GOMP_target_end_data(void);
void GOMP_target_update(int device, const void* unused, size_t count, void** addresses, size_t* sizes,
                        unsigned char* kinds);
void GOMP_teams(unsigned teams, unsigned thread_limit);

enum { DEFAULT_DEVICE = -1, TOFROM = 3 };

static void body(void* data) {
    int* number = *(int**)data;
    CHECK(omp_is_initial_device());
    GOMP_teams(2, 3);
    ++*number;
}

int main(void) {
    int number = 4;
    void* addresses[] = {&number};
    size_t sizes[] = {sizeof number};
    unsigned char kinds[] = {TOFROM};
    GOMP_target_data(DEFAULT_DEVICE, NULL, 1, addresses, sizes, kinds);
    GOMP_target(DEFAULT_DEVICE, body, NULL, 1, addresses, sizes, kinds);
    GOMP_target_update(DEFAULT_DEVICE, NULL, 1, addresses, sizes, kinds);
    GOMP_target_end_data();
    CHECK_EQ(number, 5);
    // The region's settings do not leak into what follows.
    int team = 0;
#pragma omp parallel num_threads(5) reduction(+ : team)
    team++;
    CHECK_EQ(team, 5);
}
