// SPDX-License-Identifier: Apache-2.0
// Two regions with barriers inside. Every member waits at each barrier.
//
// graph:
//   initial
//     implicit first *T
//     implicit second *T

int passed;

static void pass(void) {
#pragma omp atomic
    passed += 1;
}

int main(void) {
#pragma omp parallel // [first]
    {
#pragma omp barrier
        pass();
#pragma omp barrier
    }
    int threads = passed;
#pragma omp parallel // [second]
    {
#pragma omp barrier
        pass();
    }
    return passed == 2 * threads ? 0 : 1;
}
