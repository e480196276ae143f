// SPDX-License-Identifier: Apache-2.0
//
// Tests atomic update, capture, read, write and compare on types for which the processor has atomic
// instructions.
#include "check.h"

enum { ROUNDS = 300 };

int main(void) {
    int size = omp_get_max_threads();
    char narrow = 0;
    short half = 0;
    long sum = 0;
    float real = 0;
    double product = 1;
    int highest = -1;
    static int ticket_seen[33 * ROUNDS];
    int ticket = 0;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(size > 33 ? 33 : size)
    for (int i = 0; i < ROUNDS; i++) {
        int mine, value = omp_get_thread_num() * ROUNDS + i;
        long taken;
#pragma omp atomic
        narrow++;
#pragma omp atomic
        half -= 2;
#pragma omp atomic
        real += 0.5f;
#pragma omp atomic
        product *= -1;
#pragma omp atomic capture
        mine = ticket++;
        ticket_seen[mine]++;
#pragma omp atomic capture
        {
            sum += value;
            taken = sum;
        }
        CHECK(taken >= value);
#pragma omp atomic compare
        if (highest < value) {
            highest = value;
        }
    }
    size = size > 33 ? 33 : size;
    long n = (long)size * ROUNDS;
    CHECK_EQ(narrow, (char)n);
    CHECK_EQ(half, (short)(-2 * n));
    CHECK(real == 0.5f * n);
    CHECK(product == (n % 2 ? -1 : 1));
    CHECK_EQ(sum, n * (n - 1) / 2);
    CHECK_EQ(highest, n - 1);
    for (int i = 0; i < n; i++)
        CHECK_EQ(ticket_seen[i], 1);
}
