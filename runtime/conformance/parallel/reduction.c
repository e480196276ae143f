// SPDX-License-Identifier: Apache-2.0
//
// Tests reductions at the end of a region, for every operator and several types.
#include "check.h"

int main(void) {
    int n = omp_get_max_threads();
    int sum = 5, all_and = 1, any_or = 0, bits_or = 0, bits_and = -1, bits_xor = 0;
    long product = 1;
    double largest = -1.0, smallest = 1e9;
    unsigned char small = 250;
    omp_set_dynamic(0);
#pragma omp parallel reduction(+ : sum, small) reduction(&& : all_and) reduction(|| : any_or) reduction(| : bits_or)   \
    reduction(& : bits_and) reduction(^ : bits_xor) reduction(* : product) reduction(max : largest)                    \
    reduction(min : smallest)
    {
        int me = omp_get_thread_num();
        sum += me;
        small += 1;
        all_and = all_and && me < 1000;
        any_or = any_or || me == 0;
        bits_or |= 1 << me % 16;
        bits_and &= ~(1 << me % 16);
        bits_xor ^= 1;
        product *= me == 0 ? 6 : 1;
        largest = me;
        smallest = -me;
    }
    int mask = n >= 16 ? 0xffff : (1 << n) - 1;
    CHECK_EQ(sum, 5 + n * (n - 1) / 2);
    CHECK_EQ(small, (unsigned char)(250 + n));
    CHECK(all_and && any_or);
    CHECK_EQ(bits_or, mask);
    CHECK_EQ(bits_and, ~mask);
    CHECK_EQ(bits_xor, n & 1);
    CHECK_EQ(product, 6);
    CHECK(largest == n - 1 && smallest == 1 - n);
}
