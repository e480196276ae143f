// SPDX-License-Identifier: Apache-2.0
// Sections, fewer and more than threads.
//
// count: work.sections.begin 2*T
// count: work.sections.end 2*T
// count: dispatch.section 2+5

int main(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp sections nowait
        {
            sum += 1;
#pragma omp section
            sum += 2;
        }
#pragma omp sections
        {
            sum += 4;
#pragma omp section
            sum += 8;
#pragma omp section
            sum += 16;
#pragma omp section
            sum += 32;
#pragma omp section
            sum += 64;
        }
    }
    return sum != 127;
}
