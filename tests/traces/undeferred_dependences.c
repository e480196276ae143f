// SPDX-License-Identifier: Apache-2.0
// Undeferred tasks with dependences, and a taskwait with depend, come between deferred tasks. Each
// of them waits only for the reader before it.
//
// graph:
//   initial
//     implicit region
//       task reader *60
//       task writer inline *60
//       task other *60
//     implicit region *T-1
// edge: reader -> writer *60
// edge: writer -> reader *59

int x, y, sum;

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    for (int i = 0; i < 60; ++i) {
#pragma omp task depend(in : x) // [reader]
        __atomic_fetch_add(&sum, x, __ATOMIC_RELAXED);
#pragma omp task if (0) depend(inout : x) // [writer]
        ++x;
#pragma omp task depend(in : y) // [other]
        __atomic_fetch_add(&sum, y, __ATOMIC_RELAXED);
#pragma omp taskwait depend(inout : y)
        ++y;
    }
    return x == 60 && y == 60 && sum == 60 * 59 ? 0 : 1;
}
