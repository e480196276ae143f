// SPDX-License-Identifier: Apache-2.0
// Creates more tasks than Graphviz can lay out.

int sums[6000];

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 6000; ++i) {
#pragma omp task firstprivate(i)
        sums[i] = i;
    }
    return sums[5999] == 5999 ? 0 : 1;
}
