// SPDX-License-Identifier: Apache-2.0
// The dependences form a diamond: one writer, three readers, and one writer after them.
//
// graph:
//   initial
//     implicit region
//       task first
//       task reader *3
//       task last
//     implicit region *T-1
// edge: first -> reader *3
// edge: reader -> last *3

int x, y[3], sum;

int main(void) {
#pragma omp parallel // [region]
#pragma omp single
    {
#pragma omp task depend(out : x) // [first]
        x = 14;
        for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : x) firstprivate(i) // [reader]
            y[i] = x;
        }
#pragma omp task depend(inout : x) // [last]
        sum = y[0] + y[1] + y[2];
    }
    return sum == 42 ? 0 : 1;
}
