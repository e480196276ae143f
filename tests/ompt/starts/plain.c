// SPDX-License-Identifier: Apache-2.0
// Runs one region with one task.

int main(void) {
    int sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(sum)
        ++sum;
    }
    return sum != 1;
}
