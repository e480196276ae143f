// SPDX-License-Identifier: Apache-2.0
// A #line directive gives the lines of this program a file name that has to be escaped in every
// format.

int sums[4];

int main(void) {
#line 7 "we\"ird; na\nme\\<&>\377.c"
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#line 10 "we\"ird; na\nme\\<&>\377.c"
#pragma omp task firstprivate(i)
        sums[i] = i;
    }
    return sums[3] == 3 ? 0 : 1;
}
